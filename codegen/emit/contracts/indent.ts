/** Indents a declaration whose lines end in an opening brace or start with a closing one, as the type emitter writes them. */
export function indent(source: string): string {
  const text = source.replaceAll(/^\/\*\*\n \* (.*)\n \*\/$/gmu, '/** $1 */');
  let depth = 0;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      if (isInComment(lines)) lines.push(`${'  '.repeat(depth)} *`);
      continue;
    }
    const comment = /^ ?(\/\*\*|\*)/u.test(line);
    if (!comment && line.startsWith('}')) depth -= 1;
    const shown = comment && line.startsWith(' *') ? ` ${line.trim()}` : line;
    const end = comment || depth === 0 || line.endsWith('{') ? '' : ';';
    lines.push(`${'  '.repeat(Math.max(0, depth))}${shown}${end}`);
    if (!comment && line.endsWith('{')) depth += 1;
  }
  const [last = ''] = lines.slice(-1);
  if (!last.startsWith('}') || /^export type/mu.test(text)) lines[lines.length - 1] = `${last};`;
  return lines.join('\n');
}

function isInComment(lines: readonly string[]): boolean {
  const last = lines.at(-1)?.trim() ?? '';
  return (last.startsWith('/**') || last.startsWith('*')) && !last.endsWith('*/');
}
