/** What the flags of the commands that read servers, reports and descriptions say. */
import type { Revision } from '../pull/session.ts';
import type { Format } from '../report/render.ts';

export interface TargetFlags {
  readonly header: readonly string[];
  readonly grant: readonly string[];
  readonly revision: readonly Revision[];
  readonly timeout?: number;
  readonly maxBytes?: number;
}

export interface PullFlags extends TargetFlags {
  readonly stdio?: boolean;
  readonly out?: string;
}

export interface VerifyFlags extends TargetFlags {
  readonly url: string;
  readonly schemas?: string;
  readonly format: Exclude<Format, 'terminal'> | 'text';
  readonly output?: string;
  readonly failOn: 'breaking' | 'risky' | 'notice';
}

export interface ReportFlags {
  readonly format: Exclude<Format, 'terminal'> | 'text';
  readonly output?: string;
  /** Folder for one file of every form. */
  readonly all?: string;
  readonly root: string;
}

export interface ImportFlags {
  readonly out?: string;
}

export interface ExportFlags {
  readonly schemas?: string;
  readonly grant?: string;
  readonly url?: string;
  readonly yaml?: boolean;
  readonly out?: string;
}
