/** A JSON value as a TypeScript literal: quoted by JSON, with the two line separators that some readers split on escaped. */
export function literal(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** A union of string literals; `never` when there are none. */
export function unionOf(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map((name) => literal(name)).join(' | ');
}
