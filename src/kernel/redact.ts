import { clipMarked, toWellFormed } from './bounded.ts';

/**
 * Names of fields that hold secrets, compacted to lower-case letters and digits. The whole compacted name must be in
 * the list or end with one of the suffixes: `total_tokens` and `time_to_first_token` are measurements and stay.
 */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'token',
  'credential',
  'credentials',
  'apikey',
  'privatekey',
  'accesskey',
  'accesskeyid',
  'secretkey',
  'signingkey',
  'encryptionkey',
  'connectionstring',
  'csrf',
  'xsrf',
  'jwt',
  'cvv',
]);

const SECRET_SUFFIXES: readonly string[] = [
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'authtoken',
  'sessiontoken',
  'securitytoken',
  'bearertoken',
  'apitoken',
  'csrftoken',
  'xsrftoken',
  'bottoken',
  'usertoken',
  'servicetoken',
  'githubtoken',
  'slacktoken',
  'registrationtoken',
  'apikey',
  'privatekey',
  'secretkey',
  'secretaccesskey',
  'signingkey',
  'encryptionkey',
  'clientsecret',
  'secret',
  'password',
  'passphrase',
  'authorization',
  'cookie',
  'credential',
  'credentials',
  'connectionstring',
];

export function isSecretName(name: string): boolean {
  const compact = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return SECRET_NAMES.has(compact) || SECRET_SUFFIXES.some((suffix) => compact.endsWith(suffix));
}

export const REDACTED = '[redacted]';

/*
 * Shapes of secrets inside running text. Every repetition is bounded or anchored on a literal, so that a hostile
 * text costs linear time.
 */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b[srp]k_(?:live|test)_[A-Za-z0-9]{6,}/g, REDACTED],
  [/\b(?:sk|pk)-[A-Za-z0-9_-]{16,}/g, REDACTED],
  [/\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,})/g, REDACTED],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, REDACTED],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g, REDACTED],
  [/\bAIza[0-9A-Za-z_-]{30,}/g, REDACTED],
  [/\b(?:hf|npm|pypi|whsec|dop_v1|shpat)[_-][A-Za-z0-9_-]{20,}/g, REDACTED],
  [/\beyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,4}/g, REDACTED],
  [/\b(Bearer|Basic|Token)(\s{1,4})[A-Za-z0-9._~+/=-]{8,}/gi, `$1$2${REDACTED}`],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, REDACTED],
  [/([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/@:"']{0,256}:)[^\s/@"']{1,256}@/gi, `$1${REDACTED}@`],
  [
    /((?:api[_-]?key|pass(?:word|wd|phrase)|client[_-]?secret|secret[_-]?key|(?:access|refresh|auth|id|session)[_-]?token|private[_-]?key|(?:set-)?cookie|authorization)["']?\s{0,4}[:=]\s{0,4}["']?)(?!\[redacted\]|(?:Bearer|Basic|Token)\s)[^\s"',;&<>]{4,}/gi,
    `$1${REDACTED}`,
  ],
];

/** Any secret shape at all; one look that spares the rest for the usual text. */
const MAY_HOLD_SECRET =
  /[srp]k[_-]|gh[pousr]_|github_pat|glpat-|AKIA|ASIA|xox[a-z]-|AIza|(?:hf|npm|pypi|whsec|dop_v1|shpat)[_-]|eyJ|bearer|basic|token|PRIVATE KEY|:\/\/|key|pass|secret|cookie|authorization/i;

export interface Redactor {
  /** Replaces secrets inside running text. */
  text(text: string): string;
  /** A copy of a JSON value whose strings hold no secrets; names and shape stay as the contract has them. */
  strings<T>(value: T): T;
  /** A bounded JSON copy of any value without its secrets; every cut is marked where it happened. */
  value(value: unknown, bounds?: Partial<RedactBounds>): unknown;
}

export interface RedactBounds {
  readonly maxDepth: number;
  /** Members of one object and items of one array. */
  readonly maxBreadth: number;
  /** UTF-16 units of one string. */
  readonly maxString: number;
  /** Rough size of the whole copy as JSON. */
  readonly maxBytes: number;
}

const DEFAULT_BOUNDS: RedactBounds = { maxDepth: 12, maxBreadth: 100, maxString: 12_000, maxBytes: 256 * 1024 };

/** Makes a redactor; `shapes` adds patterns (global flag set) for secrets of the project that uses it. */
export function createRedactor(shapes: readonly RegExp[] = []): Redactor {
  const text = (value: string): string => {
    let clean = value;
    if (MAY_HOLD_SECRET.test(clean)) for (const [shape, put] of SECRET_SHAPES) clean = clean.replace(shape, put);
    for (const shape of shapes) clean = clean.replace(shape, REDACTED);
    return clean;
  };
  return {
    text,
    // because only texts are exchanged for other texts
    strings: <T>(value: T) => eachString(value, text) as T,
    value: (value, bounds) => new Copy({ ...DEFAULT_BOUNDS, ...bounds }, text).take(value, 0),
  };
}

function eachString(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item) => eachString(item, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, eachString(item, clean)]));
}

/** One walk over one value; carries the budget. */
class Copy {
  readonly #bounds: RedactBounds;
  readonly #clean: (text: string) => string;
  #left: number;

  constructor(bounds: RedactBounds, clean: (text: string) => string) {
    this.#bounds = bounds;
    this.#clean = clean;
    this.#left = bounds.maxBytes;
  }

  take(value: unknown, depth: number): unknown {
    if (this.#left <= 0) return '[cut: too large]';
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        this.#left -= 8;
        return Number.isFinite(value) ? value : String(value);
      case 'boolean':
        this.#left -= 5;
        return value;
      case 'bigint':
        return this.#text(value.toString());
      case 'object':
        return value === null ? null : this.#compound(value, depth);
      case 'undefined':
      case 'function':
      case 'symbol':
        return null;
    }
  }

  /** Secrets are taken out before the cut, so that a cut never leaves half a secret that no shape matches. */
  #text(value: string): string {
    const slack = 20_000;
    const near = value.length > this.#bounds.maxString + slack ? value.slice(0, this.#bounds.maxString + slack) : value;
    const clean = this.#clean(toWellFormed(near));
    const limit = Math.min(this.#bounds.maxString, Math.max(this.#left, 0));
    const lost = value.length - near.length;
    const cut = lost > 0 && clean.length <= limit ? `${clean}… [cut ${lost} characters]` : clipMarked(clean, limit);
    this.#left -= cut.length + 2;
    return cut;
  }

  #compound(value: object, depth: number): unknown {
    if (depth >= this.#bounds.maxDepth) return '[cut: too deep]';
    if (Array.isArray(value)) return this.#array(value, depth);
    if (value instanceof Date) return this.take(Number.isNaN(value.getTime()) ? null : value.toISOString(), depth);
    if (value instanceof Error) return this.take({ name: value.name, message: value.message }, depth);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    return this.#object(value, depth);
  }

  #array(items: readonly unknown[], depth: number): unknown[] {
    const kept: unknown[] = [];
    for (const item of items) {
      if (kept.length >= this.#bounds.maxBreadth || this.#left <= 0) {
        kept.push(`[cut ${items.length - kept.length} more items]`);
        break;
      }
      kept.push(this.take(item, depth + 1));
    }
    return kept;
  }

  #object(value: object, depth: number): Record<string, unknown> {
    const entries = Object.entries(value);
    const kept: [string, unknown][] = [];
    for (const [key, item] of entries) {
      if (kept.length >= this.#bounds.maxBreadth || this.#left <= 0) {
        kept.push(['…', `[cut ${entries.length - kept.length} more members]`]);
        break;
      }
      const name = this.#text(key);
      kept.push([name, holdsSecret(key, item) ? REDACTED : this.take(item, depth + 1)]);
    }
    // fromEntries defines own properties, so a key named __proto__ stays data.
    return Object.fromEntries(kept);
  }
}

/** A flag or an absence says nothing secret, whatever its name. */
function holdsSecret(name: string, value: unknown): boolean {
  return typeof value !== 'boolean' && value !== null && value !== undefined && isSecretName(name);
}
