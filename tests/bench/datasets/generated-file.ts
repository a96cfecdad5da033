import { createHash } from 'node:crypto';

/** A large file that is made anew from its seed whenever it is read, and kept nowhere. */
export interface GeneratedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly rows: number;
  /** Sums over all rows, to be held against those of the dataset. */
  readonly idSum: number;
  readonly lengthSum: number;
  /** The bytes from an offset on, in pieces. */
  readonly from: (offset: number, pieceBytes: number) => Iterable<Buffer>;
}

const ROWS_PER_BLOCK = 512;
const WORDS =
  'order refund parcel late broken invoice delivery address customer größe 名前 🎉 please thanks where when'.split(' ');

interface Block {
  readonly bytes: Buffer;
  readonly rows: number;
  readonly idSum: number;
  readonly lengthSum: number;
}

/** A file of at least `bytes` bytes. */
export function generatedFile(format: 'jsonl' | 'csv', bytes: number, seed: number): GeneratedFile {
  const hash = createHash('sha256');
  let [sizeBytes, rows, idSum, lengthSum] = [0, 0, 0, 0];
  /** Where each block begins. */
  const starts: number[] = [];
  for (let index = 0; sizeBytes < bytes; index += 1) {
    const block = blockOf(format, index, seed);
    starts.push(sizeBytes);
    hash.update(block.bytes);
    sizeBytes += block.bytes.length;
    rows += block.rows;
    idSum += block.idSum;
    lengthSum += block.lengthSum;
  }
  function* from(offset: number, pieceBytes: number): Iterable<Buffer> {
    const first = starts.findLastIndex((start) => start <= offset);
    let waiting = Buffer.alloc(0);
    for (let index = first; index < starts.length; index += 1) {
      const { bytes: block } = blockOf(format, index, seed);
      waiting = Buffer.concat([waiting, index === first ? block.subarray(offset - (starts[index] ?? 0)) : block]);
      for (; waiting.length >= pieceBytes; waiting = waiting.subarray(pieceBytes))
        yield waiting.subarray(0, pieceBytes);
    }
    if (waiting.length > 0) yield waiting;
  }
  return { name: `rows.${format}`, sizeBytes, sha256: hash.digest('hex'), rows, idSum, lengthSum, from };
}

function blockOf(format: 'jsonl' | 'csv', index: number, seed: number): Block {
  let state = (seed + index * 2_654_435_761) >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const lines: string[] = format === 'csv' && index === 0 ? ['id,input,output,score,day\n'] : [];
  let [idSum, lengthSum] = [0, 0];
  for (let row = 0; row < ROWS_PER_BLOCK; row += 1) {
    const id = index * ROWS_PER_BLOCK + row;
    const words = Array.from({ length: 12 + next(28) }, () => WORDS[next(WORDS.length)]);
    const input = `${id} ${words.join(' ')}`;
    const output = WORDS[id % WORDS.length] ?? '';
    const [score, day] = [next(1_000) / 8, `2026-01-${String(1 + (id % 28)).padStart(2, '0')}`];
    idSum += id;
    lengthSum += Array.from(input).length;
    lines.push(
      format === 'csv'
        ? `${id},"${input}",${output},${score},${day}\n`
        : `{"id":${id},"input":"${input}","output":"${output}","score":${score},"day":"${day}"}\n`,
    );
  }
  return { bytes: Buffer.from(lines.join('')), rows: ROWS_PER_BLOCK, idSum, lengthSum };
}
