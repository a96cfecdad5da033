import type { JsonPath, SourcePosition } from './types.ts';

/** A change of one contract file that mends a finding. */
export interface Fix {
  /** What it does, as an editor shows it. */
  readonly title: string;
  /** Whether nothing else can be meant; a guess is offered in editors alone. */
  readonly exact: boolean;
  /** Paths count from the root of the file. */
  readonly edits: readonly FixEdit[];
}

export type FixEdit =
  | { readonly do: 'remove'; readonly path: JsonPath }
  /** Takes the item with this value out of a list. */
  | { readonly do: 'drop'; readonly path: JsonPath; readonly value: string }
  /** Writes another scalar in the place of one. */
  | { readonly do: 'set'; readonly path: JsonPath; readonly value: string | number | boolean }
  /** Puts a member into a map, or behind the last item of a list (`-`). */
  | { readonly do: 'add'; readonly path: JsonPath; readonly value: string | number | boolean }
  /** Exchanges characters of a written text. */
  | { readonly do: 'replace'; readonly path: JsonPath; readonly from: string; readonly to: string }
  /** Writes the line that leads an editor to the grammar. */
  | { readonly do: 'modeline'; readonly path: JsonPath; readonly line: string };

/** One finding. Rendered as `file:line:column rule-id: sentence. Remedy.` */
export interface Diagnostic {
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly remedy?: string;
  readonly position: SourcePosition;
  /** Entity the finding is about, e.g. `tool query_dataset`. */
  readonly entity?: string;
  /** JSON pointer inside the document. */
  readonly pointer?: string;
  readonly fix?: Fix;
}
