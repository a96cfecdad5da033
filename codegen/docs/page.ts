/** A page of the documentation before it is HTML or Markdown. */
export type Inline =
  | string
  | { readonly code: string }
  /** `page` is the path of another page without its ending, `anchor` a heading on it. */
  | { readonly page: string; readonly text: string; readonly code?: boolean; readonly anchor?: string }
  | { readonly href: string; readonly text: string };

export type Text = readonly Inline[];

export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3; readonly text: string }
  | { readonly kind: 'text'; readonly text: Text }
  | { readonly kind: 'list'; readonly items: readonly Text[]; readonly ordered?: boolean }
  | {
      readonly kind: 'table';
      readonly about: string;
      readonly head: readonly string[];
      readonly rows: readonly (readonly Text[])[];
    }
  /** `folded` is what a page shows of a long text before a reader opens it. */
  | { readonly kind: 'code'; readonly text: string; readonly folded?: string };

export interface Page {
  /** `tools/query_dataset`; the path below the output folder without its ending. */
  readonly path: string;
  readonly group: string;
  readonly title: string;
  /** One sentence for lists and the search. */
  readonly summary: string;
  readonly blocks: readonly Block[];
}

export function heading(text: string, level: 2 | 3 = 2): Block {
  return { kind: 'heading', level, text };
}

export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
}

/** Every text of a block, for the links and words in it. */
export function textsOf(block: Block): readonly Text[] {
  switch (block.kind) {
    case 'text':
      return [block.text];
    case 'list':
      return block.items;
    case 'table':
      return block.rows.flat();
    case 'heading':
    case 'code':
      return [];
  }
}
