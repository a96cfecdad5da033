import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageName } from '../../generated/console/pages.ts';
import type { SignedIn } from '../domain/identity/index.ts';
import type { Project } from '../domain/projects/index.ts';
import type { Form } from './form.ts';

/** One request for a page, whoever sent it. */
export interface PublicVisit {
  readonly page: PageName;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What was posted; empty on a GET. */
  readonly form: Form;
  readonly requestId: string;
  readonly clientIp: string;
  readonly userAgent: string | undefined;
  /** Goes into every form of the page. */
  readonly csrf: string;
  readonly person?: SignedIn;
  /** What was wrong with the form that was just sent, in words for its reader. */
  readonly problem?: string;
  /** Aborts when the browser goes away. */
  readonly signal: AbortSignal;
  /** For the one port that answers as MCP would. */
  readonly node: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

export interface PersonVisit extends PublicVisit {
  readonly person: SignedIn;
  /** The project that `projectId` names, when the person is a member of it. */
  readonly project?: Project;
}

export interface ProjectVisit extends PersonVisit {
  readonly project: Project;
}

/** Binds the generated page interface. */
export interface Visits {
  readonly public: PublicVisit;
  readonly person: PersonVisit;
  readonly project: ProjectVisit;
}

export interface View {
  readonly view: string;
  readonly title: string;
  readonly data: object;
  readonly status?: number;
  /** The navigation entry to mark, when it is not the page's own. */
  readonly current?: PageName;
  /** Asks the browser for the page again after this long while something is going on. */
  readonly refreshSeconds?: number;
  readonly session?: SessionChange;
}

export interface Redirect {
  readonly to: string;
  /** Key of a fixed sentence shown on the page that follows. */
  readonly notice?: Notice;
  readonly session?: SessionChange;
}

/** A cookie to set or to take away. */
export type SessionChange = { readonly token: string; readonly expiresAt: Date } | 'end';

export type Answer = View | Redirect;

/** Fixed sentences: what stands in the address can never become text of a stranger. */
export const NOTICES = {
  created: 'The project is made.',
  renamed: 'The project has its new name.',
  member_removed: 'The member is removed. Their keys and connections no longer reach this project.',
  deactivated: 'The project is deactivated. Its data is kept.',
  key_revoked: 'The key is revoked. It stops working at once.',
  connection_revoked: 'The connection is revoked. Its tokens stop working at once.',
  password_changed: 'The password is changed, and all other browsers are signed out.',
  sessions_ended: 'The other browsers are signed out.',
  signed_out: 'You are signed out.',
  agent_asked: 'The agent is looking at the dataset. Its answer appears in the chat.',
  proposal_approved: 'The proposal is approved, and its version is being computed.',
  proposal_denied: 'The proposal is denied and discarded.',
  welcome: 'The password is set, and you are signed in.',
} as const;

export type Notice = keyof typeof NOTICES;
