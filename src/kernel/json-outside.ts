/**
 * JSON text with what stands outside of its strings replaced, part by part. A loop, because an expression for whole
 * strings runs out of stack in one of some millions of characters.
 */
export function mapOutsideStrings(text: string, map: (outside: string) => string): string {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const open = text.indexOf('"', from);
    if (open === -1) {
      parts.push(map(text.slice(from)));
      break;
    }
    const end = afterString(text, open + 1);
    parts.push(map(text.slice(from, open)), text.slice(open, end));
    from = end;
  }
  return parts.join('');
}

/** The end of the string whose content begins at `from`, with its quote; of a text that ends first, its end. */
export function afterString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    if (!isEscaped(text, quote, from)) return quote + 1;
  }
  return text.length;
}

/** Whether the character is escaped by the backslashes before it, in a string whose content begins at `from`. */
export function isEscaped(text: string, at: number, from: number): boolean {
  let backslashes = 0;
  for (let before = at - 1; before >= from && text[before] === '\\'; before -= 1) backslashes += 1;
  return backslashes % 2 === 1;
}
