import assert from 'node:assert/strict';
import {
  canonicalJson,
  findUnsafe,
  JsonFault,
  neutralise,
  parseJson,
  stringifyForAgent,
} from '../../src/kernel/json.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const reasonOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof JsonFault);
    assert.doesNotMatch(error.message, /stack|position|token/i);
    return error.reason;
  }
  return 'none';
};

describe('parseJson', () => {
  it('accepts nesting up to the limit and refuses one more', () => {
    assert.equal(
      reasonOf(() => parseJson(bytes(nested(64)), 64)),
      'none',
    );
    assert.equal(
      reasonOf(() => parseJson(bytes(nested(65)), 64)),
      'depth',
    );
  });

  it('refuses extreme nesting without exhausting the stack', () => {
    assert.equal(
      reasonOf(() => parseJson(bytes(nested(200_000)), 64)),
      'depth',
    );
  });

  it('counts no bracket that stands inside a string', () => {
    const text = JSON.stringify({ a: '[{'.repeat(500), b: 'quote " and \\ [' });
    assert.deepEqual(parseJson(bytes(text), 64).value, JSON.parse(text));
  });

  it('counts siblings as siblings', () => {
    assert.equal(
      reasonOf(() => parseJson(bytes(`[${'[],'.repeat(500)}[]]`), 2)),
      'none',
    );
  });

  it('refuses bytes that are not UTF-8, and keeps a replacement character that was sent', () => {
    assert.equal(
      reasonOf(() => parseJson(Buffer.from([0x22, 0xff, 0xfe, 0x22]))),
      'encoding',
    );
    assert.equal(parseJson(bytes('"\ufffd"')).value, '\ufffd');
  });

  it('refuses broken JSON in its own words', () => {
    for (const text of ['', '{', '{"a":1,}', 'nul', '{"a":01}'])
      assert.equal(
        reasonOf(() => parseJson(bytes(text))),
        'syntax',
      );
  });

  it('keeps __proto__ as data', () => {
    const value = parseJson(bytes('{"__proto__":{"polluted":true}}')).value as Record<string, unknown>;
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(Object.hasOwn(value, '__proto__'), true);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  it('marks texts whose values may not survive', () => {
    assert.equal(parseJson(bytes('{"id":12345678901234567890}')).suspicious, true);
    assert.equal(parseJson(bytes(String.raw`{"a":"\ud83d"}`)).suspicious, true);
    assert.equal(parseJson(bytes('{"id":123456,"name":"plain"}')).suspicious, false);
  });
});

describe('findUnsafe', () => {
  it('names the place of integers that lose digits, NUL and half pairs', () => {
    const value = JSON.parse(
      String.raw`{"rows":[{"id":12345678901234567890}],"a":"x\u0000","b":"\ud83d","ok":9007199254740991,"float":1e300}`,
    ) as unknown;
    assert.deepEqual(
      findUnsafe(value).map(({ path }) => path),
      ['rows.0.id', 'a', 'b'],
    );
  });
});

describe('stringifyForAgent', () => {
  it('gives back the very value when there is nothing to hide', () => {
    const value = { name: 'plain "quoted" text\n\twith lines', emoji: '🎉' };
    const { text, clean } = stringifyForAgent(value);
    assert.equal(clean, value);
    assert.equal(text, JSON.stringify(value));
  });

  it('replaces control, bidi, separator and tag characters one for one, in keys too', () => {
    const hostile = 'ok\u202e\u2028\u{e0041}\u0007\u0085\ud800end';
    const { text, clean } = stringifyForAgent({ [hostile]: [hostile] });
    const shown = 'ok\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdend';
    assert.deepEqual(clean, { [shown]: [shown] });
    assert.deepEqual(JSON.parse(text), clean);
    assert.doesNotMatch(text, /[\u0085\u2028\u202e]|\u{e0041}|\\u/u);
  });

  it('leaves joined emoji, flags with selectors and accents as they are', () => {
    for (const text of ['👩‍💻', '❤️', 'é', 'שלום', 'कि']) assert.equal(neutralise(text), text);
  });

  it('keeps a __proto__ key as data when it copies', () => {
    const value: unknown = JSON.parse('{"__proto__":{"x":"\u202e"}}');
    assert.equal(stringifyForAgent(value).text, '{"__proto__":{"x":"\ufffd"}}');
  });
});

describe('canonicalJson', () => {
  it('gives equal text for equal values in any order', () => {
    assert.equal(
      canonicalJson({ b: [1, { d: null, c: 'x' }], a: true }),
      canonicalJson({ a: true, b: [1, { c: 'x', d: null }] }),
    );
    assert.notEqual(canonicalJson({ a: 1 }), canonicalJson({ a: '1' }));
  });
});
