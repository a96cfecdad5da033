/** What a server may cost whoever reads it. A server is foreign code: everything it sends is counted. */
export interface Limits {
  /** For one answer. */
  readonly answerMs: number;
  /** For the whole reading of one grant in one revision. */
  readonly totalMs: number;
  readonly answerBytes: number;
  /** Of all answers of one reading together. */
  readonly totalBytes: number;
  readonly pages: number;
  /** In one list. */
  readonly items: number;
  readonly depth: number;
}

export const LIMITS: Limits = {
  answerMs: 15_000,
  totalMs: 60_000,
  answerBytes: 16 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  pages: 200,
  items: 20_000,
  depth: 128,
};
