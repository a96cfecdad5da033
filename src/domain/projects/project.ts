import { AppError } from '../../kernel/errors.ts';

/** The boundary of all data: the agent a team improves. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** Unique in the installation. */
  readonly slug: string;
  readonly integrationType: string;
  /** An inactive project is invisible to every credential. */
  readonly isActive: boolean;
  readonly settings: ProjectSettings;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ProjectSettings {
  /** Where the scanned source stood; written by the command-line client, absent when nothing was scanned. */
  readonly repositorySnapshot?: Readonly<Record<string, unknown>>;
  readonly lastSyncedAt?: string;
}

/** Place of a row in the list of projects: by name, then by id. */
export interface ProjectPosition {
  readonly name: string;
  readonly id: string;
}

/** Someone who may use a project. */
export interface ProjectMember {
  readonly accountId: string;
  readonly email: string;
  readonly isActive: boolean;
  /** False until an invited person has set a password. */
  readonly hasSignedUp: boolean;
  readonly since: Date;
}

export function requireProjectName(text: string): string {
  const name = text.normalize('NFC').trim();
  if (name.length === 0 || name.length > 255 || /\p{Cc}/u.test(name)) {
    throw new AppError('invalid_input', 'A project name has 1 to 255 characters and no control characters.', {
      fields: { name: 'must have 1 to 255 characters and no control characters' },
    });
  }
  return name;
}

export function requireSlug(text: string): string {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) || text.length > 100) {
    throw new AppError('invalid_input', 'A slug has 1 to 100 lower-case letters, digits and single hyphens.', {
      fields: { slug: 'must have lower-case letters, digits and single hyphens' },
    });
  }
  return text;
}

/** A readable slug; names without any Latin letter or digit become `project`. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'project' : slug;
}
