import { AppError } from '../../kernel/errors.ts';
import type { AccountsService, SessionsService } from '../identity/index.ts';
import type { ProjectMember } from './project.ts';
import type { ProjectsService } from './projects-service.ts';

export interface InvitationsParts {
  readonly projects: ProjectsService;
  readonly accounts: AccountsService;
  readonly sessions: SessionsService;
}

export interface Invitation {
  readonly member: ProjectMember;
  /** Lets a new person set a password. Absent for everybody who is known here already. */
  readonly link?: { readonly token: string; readonly expiresAt: Date };
}

/** Lets people into projects. There is no mail: whoever invites hands the link on. */
export class Invitations {
  readonly #parts: InvitationsParts;

  constructor(parts: InvitationsParts) {
    this.#parts = parts;
  }

  /**
   * Whoever holds the link becomes that person, so it is only made for someone who reaches nothing but this project:
   * an account that is a member elsewhere gets its link from those who let it in there, or from the operator.
   */
  async invite(projectId: string, email: string): Promise<Invitation> {
    const { accounts, projects, sessions } = this.#parts;
    const account = (await accounts.findByEmail(email)) ?? (await accounts.create({ email }));
    if (!account.isActive) {
      throw new AppError('invalid_input', 'This account is not active and cannot be invited.', {
        fields: { email: 'is not active' },
      });
    }
    await projects.addMember(projectId, account.id);
    const member = await projects.getMember(projectId, account.id);
    if (account.hasPassword || (await projects.reachesMoreThan(account.id, projectId))) return { member };
    return { member, link: await sessions.issueLink(account.id, 'invitation') };
  }
}
