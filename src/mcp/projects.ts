import { AppError } from '../kernel/errors.ts';
import type { Principal, ProjectResolver, ResolvedProject } from './ports.ts';

/** Decides which project a call works in, before anybody looks at its other arguments. */
export class ProjectGate<A, P> {
  readonly #resolve: ProjectResolver<A, P>;
  readonly #recovery: string;

  /** `recovery` is the contract's sentence for `project_required`: it names the tool that lists projects. */
  constructor(resolve: ProjectResolver<A, P>, recovery: string) {
    this.#resolve = resolve;
    this.#recovery = recovery;
  }

  /**
   * A project credential works in its own project and may say so; an account credential must say which. Missing,
   * malformed, unknown and inaccessible ids answer with the same words.
   */
  require(principal: Principal<A>, named: unknown): ResolvedProject<P> | Promise<ResolvedProject<P>> {
    const found = this.#find(principal, named);
    return found instanceof Promise ? found.then((late) => this.#orRefuse(late)) : this.#orRefuse(found);
  }

  #orRefuse(found: ResolvedProject<P> | undefined): ResolvedProject<P> {
    if (found === undefined) throw projectRequired(this.#recovery);
    return found;
  }

  #find(
    principal: Principal<A>,
    named: unknown,
  ): ResolvedProject<P> | undefined | Promise<ResolvedProject<P> | undefined> {
    const own = principal.projectId;
    if (own !== undefined) {
      if (named !== undefined && named !== null && named !== own) return undefined;
      return this.#resolve(principal, own);
    }
    if (typeof named !== 'string' || named === '' || named.length > 64) return undefined;
    return this.#resolve(principal, named);
  }
}

function projectRequired(recovery: string): AppError {
  return new AppError('project_required', `No project was named that this credential can use. ${recovery}`);
}
