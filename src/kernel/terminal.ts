import { styleText } from 'node:util';
import { neutralise } from './json.ts';

type Style = 'bold' | 'green' | 'red' | 'yellow' | 'dim';

/** Where a command prints: data to standard output, remarks to standard error. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly remark: (text: string) => void;
  /** Colour only where a person reads it. */
  readonly style: (style: Style, text: string) => string;
}

export function createTerminal(process: {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}): Terminal {
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    remark: (text) => void process.stderr.write(`${text}\n`),
    style: (style, text) => (process.stdout.isTTY ? styleText(style, text) : text),
  };
}

/** Columns padded to their widest cell; the last one is left as it is. A cell stays in its line, whatever it holds. */
export function table(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map((cell) => neutralise(cell).replaceAll(/[\r\n\t]+/g, ' ')));
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
