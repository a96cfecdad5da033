/** Damerau-Levenshtein distance (adjacent swaps count one), given up once it must exceed `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      let best = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + cost);
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? limit + 1;
}

/** The known word nearest to a mistyped one, when it is near enough to be what was meant. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const typed = word.toLowerCase().slice(0, 128);
  // A third of the letters may differ: `desription` finds `description`, `foo` finds nothing.
  const limit = Math.max(1, Math.floor(typed.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    const distance = editDistance(typed, candidate.toLowerCase(), limit);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** A remedy sentence: the nearest known word, else the words that are allowed. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const words = [...known];
  const near = nearest(word, words);
  if (near !== undefined) return `Did you mean \`${near}\`?`;
  if (words.length === 0 || words.length > 40) return undefined;
  return `Allowed here: ${words.map((one) => `\`${one}\``).join(', ')}.`;
}

/** A remedy sentence for a name out of a long list: the nearest one, else what to do instead. */
export function suggestion(word: string, known: Iterable<string>, otherwise: string): string {
  const near = nearest(word, known);
  return near === undefined ? otherwise : `Did you mean \`${near}\`?`;
}
