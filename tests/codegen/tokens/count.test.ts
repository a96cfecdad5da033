import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createTokenCounter } from '../../../codegen/tokens/count.ts';
import { readVocabulary } from '../../../codegen/tokens/load.ts';
import { buildTable, packTable, unpackTable, type TokenTable } from '../../../codegen/tokens/table.ts';

describe('token counter', () => {
  let table: TokenTable;
  before(() => {
    table = buildTable(readVocabulary());
  });

  it('counts what the published tokeniser counts, in any script and over any bytes', () => {
    const count = createTokenCounter(table);
    const texts = [
      readFileSync('generated/surface.json', 'utf8').slice(0, 60_000),
      readFileSync('skills/contributing/gate/SKILL.md', 'utf8'),
      'Zażółć gęślą jaźń 数据集 данные डेटा 👩‍👩‍👧‍👦 e\u0301 \u0000\u202e\ud83c\udf89 \t\r\n  ',
      ...randomTexts(300),
    ];
    for (const text of texts) assert.equal(count(text), countTokens(text), JSON.stringify(text.slice(0, 80)));
  });

  it('takes the words that end a text for text', () => {
    const count = createTokenCounter(table);
    assert.ok(count('before <|endoftext|> after') > count('before after'));
  });

  it('answers for a text without a gap in time', () => {
    const count = createTokenCounter(table);
    assert.equal(count('ab'.repeat(100_000)), 50_000);
  });

  it('is the same after it was packed into a file', () => {
    const packed = unpackTable(packTable(table));
    assert.ok(packed !== undefined);
    const [one, two] = [createTokenCounter(table), createTokenCounter(packed)];
    for (const text of randomTexts(50)) assert.equal(two(text), one(text));
    assert.equal(unpackTable(new Uint8Array(40)), undefined);
  });
});

/** Texts from a seed: plain ones, ones of one plane and ones of all. */
function randomTexts(count: number): string[] {
  let seed = 20_260_728;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed % below;
  };
  return Array.from({ length: count }, (_, at) => {
    const most = [0x80, 0x3000, 0x10ffff][at % 3] ?? 0x80;
    const points = Array.from({ length: 1 + random(60) }, () => random(most));
    return points.map((point) => (point >= 0xd800 && point <= 0xdfff ? ' ' : String.fromCodePoint(point))).join('');
  });
}
