const LONGEST = 64;

/** The candidate closest to `word`, when it is close enough to be a slip of the hand. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  if (word.length === 0 || word.length > LONGEST) return undefined;
  const wanted = normalise(word);
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const candidate of candidates) {
    const have = normalise(candidate);
    const distance =
      have === wanted ? 0 : Math.min(editDistance(wanted, have), extendsWord(wanted, have) ? 1 : Infinity);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function normalise(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** `dataset` for `dataset_id`: a whole word more or less. */
function extendsWord(a: string, b: string): boolean {
  return a.length >= 4 && b.length >= 4 && (a.startsWith(b) || b.startsWith(a));
}

/** Letters changed, added, left out, or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (beforePrevious[j - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(substitution, swap, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? Infinity;
}
