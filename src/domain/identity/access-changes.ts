/**
 * Says in this process that some credential may now do less than a moment ago: a key was revoked, an account or project
 * deactivated, a membership ended. Whoever remembers access decisions listens and forgets.
 */
export class AccessChanges {
  readonly #listeners = new Set<() => void>();

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }
}
