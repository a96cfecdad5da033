import type { Db, Tx } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import { claimKey, identitiesOf, nameFor, type Capability, type CapabilityClaim, type Identity } from './capability.ts';
import { CapabilityRepository } from './capability-repository.ts';

const COMPLETIONS_MAX = 100;
const ALIASES_MAX = 50;

/** What the capabilities of a project are called, now and ever; they come into being with the traffic that names them. */
export class CapabilityService {
  readonly #capabilities: CapabilityRepository;
  readonly #newId: IdMaker;

  constructor(deps: { db: Db; newId: IdMaker }) {
    this.#capabilities = new CapabilityRepository(deps.db);
    this.#newId = deps.newId;
  }

  /** By id, name (case does not matter), slug or a former identity; `capability_not_found` otherwise. */
  async require(projectId: string, reference: string): Promise<Capability> {
    const capability = await this.#capabilities.findByReference(projectId, reference);
    if (capability === undefined) {
      throw new AppError(
        'capability_not_found',
        'No capability of this project has that id, name or slug. Query traces without a capability and use a slug that the rows show.',
        { fields: { field: 'capability' } },
      );
    }
    return capability;
  }

  async find(projectId: string, id: string): Promise<Capability | undefined> {
    return this.#capabilities.findById(projectId, id);
  }

  /** The names it is also found by, at most `ALIASES_MAX`. */
  async aliasesOf(projectId: string, id: string): Promise<{ aliases: readonly Identity[]; truncated: boolean }> {
    const aliases = await this.#capabilities.aliasesOf(projectId, id, ALIASES_MAX + 1);
    return { aliases: aliases.slice(0, ALIASES_MAX), truncated: aliases.length > ALIASES_MAX };
  }

  async complete(projectId: string, text: string): Promise<readonly string[]> {
    return this.#capabilities.namesStartingWith(projectId, text, COMPLETIONS_MAX);
  }

  /**
   * Finds or makes the capability of each claim inside the caller's transaction, and remembers every identity a
   * claim adds. Answers ids by `claimKey`. Claims are taken in sorted order, so parallel batches never deadlock.
   */
  async claim(tx: Tx, projectId: string, claims: readonly CapabilityClaim[]): Promise<ReadonlyMap<string, string>> {
    const byKey = new Map(claims.map((claim) => [claimKey(claim), claim]));
    const ids = new Map<string, string>();
    if (byKey.size === 0) return ids;
    const repository = this.#capabilities.in(tx);
    const values = [...byKey.values()].flatMap((claim) => identitiesOf(claim)).map((identity) => identity.value);
    const held = new HeldIdentities(await repository.findIdentities(projectId, [...new Set(values)]));
    for (const [key, claim] of [...byKey].sort(([left], [right]) => (left < right ? -1 : 1))) {
      const identities = identitiesOf(claim);
      const id = held.holderOf(identities) ?? (await this.#make(repository, projectId, claim, held));
      const fresh = identities.filter((identity) => !held.has(identity));
      if (fresh.length > 0) {
        await repository.addAliases(projectId, id, fresh);
        held.add(fresh, id);
      }
      ids.set(key, id);
    }
    return ids;
  }

  async #make(
    repository: CapabilityRepository,
    projectId: string,
    claim: CapabilityClaim,
    held: HeldIdentities,
  ): Promise<string> {
    const { name, slug } = nameFor(claim);
    const id = await repository.insertUnlessSlugTaken(projectId, { id: this.#newId(), name, slug });
    const own: readonly Identity[] = [...identitiesOf({ name, slug }), ...identitiesOf(claim)];
    const fresh = own.filter((identity) => !held.has(identity));
    await repository.addAliases(projectId, id, fresh);
    held.add(fresh, id);
    return id;
  }
}

/** What is known so far about who answers to what, within one batch. */
class HeldIdentities {
  readonly #holders = new Map<string, string>();
  readonly #byValue = new Map<string, string>();

  constructor(known: readonly (Identity & { readonly capabilityId: string })[]) {
    for (const identity of known) this.add([identity], identity.capabilityId);
  }

  has(identity: Identity): boolean {
    return this.#holders.has(`${identity.kind} ${identity.value}`);
  }

  add(identities: readonly Identity[], capabilityId: string): void {
    for (const identity of identities) {
      this.#holders.set(`${identity.kind} ${identity.value}`, capabilityId);
      if (!this.#byValue.has(identity.value)) this.#byValue.set(identity.value, capabilityId);
    }
  }

  /** An exact identity first; then any, since programs put slugs and ids where names belong. */
  holderOf(identities: readonly Identity[]): string | undefined {
    for (const identity of identities) {
      const holder = this.#holders.get(`${identity.kind} ${identity.value}`);
      if (holder !== undefined) return holder;
    }
    for (const identity of identities) {
      const holder = this.#byValue.get(identity.value);
      if (holder !== undefined) return holder;
    }
    return undefined;
  }
}
