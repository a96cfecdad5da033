/** Which lines of two texts are the same, gone or new. */

export interface Line {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Above this many compared pairs the middle is shown as replaced whole: a reader gains nothing from the search. */
const PAIRS = 4_000_000;

export function lineDiff(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

function same(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ kind: 'same', text }));
}

function middle(before: readonly string[], after: readonly string[]): Line[] {
  const gone = before.map((text): Line => ({ kind: 'gone', text }));
  const added = after.map((text): Line => ({ kind: 'new', text }));
  if (before.length * after.length > PAIRS || gone.length === 0 || added.length === 0) return [...gone, ...added];
  return walk({ before, after, common: lengths(before, after) });
}

/** Longest common subsequence of the two rests, row by row from the end. */
function lengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        before[row] === after[column]
          ? (common[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(common[(row + 1) * width + column] ?? 0, common[row * width + column + 1] ?? 0);
    }
  }
  return common;
}

interface Table {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly common: Uint32Array;
}

function walk({ before, after, common }: Table): Line[] {
  const width = after.length + 1;
  const lines: Line[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]];
    if (old !== undefined && old === fresh) {
      lines.push({ kind: 'same', text: old });
      row += 1;
      column += 1;
    } else if (
      old !== undefined &&
      (fresh === undefined || (common[(row + 1) * width + column] ?? 0) >= (common[row * width + column + 1] ?? 0))
    ) {
      lines.push({ kind: 'gone', text: old });
      row += 1;
    } else {
      lines.push({ kind: 'new', text: fresh ?? '' });
      column += 1;
    }
  }
  return lines;
}

/** Keeps what changed and a few lines around it; `undefined` stands for lines left out. */
export function around(lines: readonly Line[], context: number): (Line | undefined)[] {
  const kept = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: (Line | undefined)[] = [];
  for (const [at, line] of lines.entries()) {
    if (kept[at] === true) shown.push(line);
    else if (at === 0 || kept[at - 1] === true) shown.push(undefined);
  }
  return shown;
}
