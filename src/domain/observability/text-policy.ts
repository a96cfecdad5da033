const SUSPECT = /[\0\uD800-\uDFFF]/;
// The `u` flag pairs surrogates first, so only the lone ones are left to match.
const UNSTORABLE = /\0|\p{Surrogate}/gu;

/** How many characters of one export had to be replaced; one tally lives for one request. */
export interface TextTally {
  replaced: number;
}

/**
 * PostgreSQL can hold neither U+0000 nor half a surrogate pair. Telemetry is kept rather than refused: each such
 * character becomes U+FFFD and is counted, and the exporter is told the count in its partial success.
 */
export function storableText(text: string, tally: TextTally): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(UNSTORABLE, () => {
    tally.replaced += 1;
    return '\uFFFD';
  });
}
