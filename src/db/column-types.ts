import { types, type CustomTypesConfig } from 'pg';

const { builtins } = types;
const MANY_DIGITS = /\d{16}/;
/** A JSON string, or an integer long enough to be beyond what a double holds; never the digits of a fraction. */
const STRING_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** How column values arrive: as JavaScript values where none is lost, as the database's own text where one would be. */
export const columnTypes: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary') {
      const parse = PARSERS.get(oid);
      if (parse !== undefined) return parse;
    }
    // because the driver's own signature says `any` for the parser of an unknown type
    return types.getTypeParser(oid, format ?? 'text') as (text: string) => unknown;
  },
};

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, integer],
  // Sums of bigint are numeric without a fraction; numeric with a fraction stays text, digits and all.
  [builtins.NUMERIC, (text) => (/^-?\d+$/.test(text) ? integer(text) : text)],
  // A Date has no day, only an instant: as one it slides with the time zone of the process.
  [builtins.DATE, (text) => text],
  [builtins.TIMESTAMP, (text) => text],
  [builtins.JSON, json],
  [builtins.JSONB, json],
]);

function integer(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** Integers beyond 2^53 become strings, with the same digits. */
function json(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  return JSON.parse(
    text.replaceAll(STRING_OR_LONG_INTEGER, (token) =>
      token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
    ),
  );
}
