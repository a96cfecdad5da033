/** The property, unless it has no value: optional properties are absent, not undefined. */
export function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  // because a computed key widens to string
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
