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
    const end = endOfString(text, open);
    parts.push(map(text.slice(from, open)), text.slice(open, end));
    from = end;
  }
  return parts.join('');
}

/** After the quote that ends the string which begins at `open`. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close !== -1; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
  }
  return text.length;
}
