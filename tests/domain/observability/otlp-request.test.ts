import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Writer } from 'protobufjs/minimal.js';
import { otlpJson, readExport } from '../../../src/domain/observability/index.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { createProtobufCodec } from '../../../src/providers/otlp/protobuf-codec.ts';
import { otlpExport, otlpSpan } from './support/otlp.ts';

/** Reads it, or says in a stable way that it cannot be read. */
function readsOrRefuses(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'invalid_request', String(error));
  }
}

/** A span with one field, or one level of its attributes, replaced by anything. */
const damagedSpan = fc
  .tuple(
    fc.constantFrom(...Object.keys(otlpSpan({ parent: 'ab'.repeat(8), events: [{ name: 'e' }], status: {} })), 'links'),
    fc.jsonValue(),
  )
  .map(([field, value]) => ({ ...otlpSpan({}), [field]: value }));

const damagedAttribute = fc
  .tuple(
    fc.constantFrom('stringValue', 'intValue', 'doubleValue', 'bytesValue', 'arrayValue', 'kvlistValue'),
    fc.jsonValue(),
  )
  .map(([kind, value]) => ({ ...otlpSpan({}), attributes: [{ key: 'k', value: { [kind]: value } }] }));

describe('readExport', () => {
  it('reads or refuses whatever JSON it is given, and never fails in another way', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readsOrRefuses(() => readExport(value, 1n));
        readsOrRefuses(() => readExport({ resourceSpans: value }, 1n));
        readsOrRefuses(() => readExport({ resourceSpans: [{ scopeSpans: value }] }, 1n));
        readsOrRefuses(() => readExport(otlpExport([value]), 1n));
      }),
    );
  });

  it('takes or refuses each damaged span alone', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(damagedSpan, damagedAttribute), { maxLength: 5 }), (damaged) => {
        const batch = readExport(otlpExport([...damaged, otlpSpan({ name: 'whole' })]), 1n);
        assert.equal(batch.spans.length + batch.rejected, damaged.length + 1);
        assert.equal(batch.spans.at(-1)?.name, 'whole');
        for (const span of batch.spans) {
          assert.match(span.traceId, /^[0-9a-f]{32}$/);
          assert.match(span.spanId, /^[0-9a-f]{16}$/);
          assert.doesNotMatch(JSON.stringify(span.attributes), /\\u0000|\\ud[89a-f]/);
        }
      }),
    );
  });

  it('takes null for absent in every kind of value, and no number that JSON does not know', () => {
    const read = (value: unknown) => {
      const { spans, rejected } = readExport(otlpExport([{ ...otlpSpan({}), attributes: [{ key: 'k', value }] }]), 1n);
      return rejected === 1 ? 'refused' : spans[0]?.attributes['k'];
    };
    for (const kind of [
      'stringValue',
      'boolValue',
      'intValue',
      'doubleValue',
      'bytesValue',
      'arrayValue',
      'kvlistValue',
    ])
      assert.equal(read({ [kind]: null }), null, kind);
    assert.equal(read({ stringValue: null, intValue: '7' }), 7);
    const doubles = ['1e3', '-.5', '2.', 'NaN', '-Infinity'].map((doubleValue) => read({ doubleValue }));
    assert.deepEqual(doubles, [1000, -0.5, 2, 'NaN', '-Infinity']);
    for (const doubleValue of ['', '  ', '0x1F', ' 1', '1_0'])
      assert.equal(read({ doubleValue }), 'refused', doubleValue);
    for (const intValue of ['', ' ', '0x1F', '1.5', 1.5]) assert.equal(read({ intValue }), 'refused', String(intValue));
  });

  it('gives a span without a start the time of its end, and without either the time of receipt', () => {
    const { spans } = readExport(
      otlpExport([
        { ...otlpSpan({}), startTimeUnixNano: undefined, endTimeUnixNano: '7' },
        { ...otlpSpan({}), startTimeUnixNano: '0', endTimeUnixNano: null },
      ]),
      99n,
    );
    assert.deepEqual(
      spans.map(({ startNs, endNs }) => [startNs, endNs]),
      [
        [7n, 7n],
        [99n, 99n],
      ],
    );
  });
});

describe('the codecs of OTLP', () => {
  it('read JSON as JSON is, but for integers that would lose digits', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false }),
        fc.bigInt({ min: 10n ** 16n, max: 10n ** 19n }),
        (value, long) => {
          const text = JSON.stringify({ value, near: [String(long), `"${long}`] });
          const body = `${text.slice(0, -1)},"long":${long},"negative":[-${long}]}`;
          const {
            long: kept,
            negative,
            ...rest
          } = otlpJson.decodeRequest(Buffer.from(body)) as Record<string, unknown>;
          assert.equal(String(kept), long.toString());
          assert.deepEqual(negative, [`-${long}`]);
          assert.deepEqual(
            JSON.stringify(rest).replaceAll(/"(-?\d{16,})"/g, '$1'),
            text.replaceAll(/"(-?\d{16,})"/g, '$1'),
          );
        },
      ),
    );
  });

  it('read or refuse whatever bytes they are given', () => {
    const protobuf = createProtobufCodec();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const codec of [otlpJson, protobuf]) {
          readsOrRefuses(() => readExport(codec.decodeRequest(Buffer.from(bytes)), 1n));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('refuse a span alone whose attribute is nested too deep, in JSON and in protobuf', () => {
    const levels = [40, 60, 3_000];
    const part = (field: number, content: Uint8Array) =>
      Writer.create()
        .uint32((field << 3) | 2)
        .bytes(content)
        .finish();
    const protobuf = createProtobufCodec();
    for (const depth of levels) {
      const deepJson = `${'{"arrayValue":{"values":['.repeat(depth)}{"stringValue":"x"}${']}}'.repeat(depth)}`;
      let deep = part(1, Buffer.from('x'));
      for (let level = 0; level < depth; level += 1) {
        deep = part(5, part(1, deep));
      }
      const name = (text: string) => part(5, Buffer.from(text));
      const ids = Buffer.concat([part(1, Buffer.alloc(16, 1)), part(2, Buffer.alloc(8, 2))]);
      const attribute = part(9, Buffer.concat([part(1, Buffer.from('k')), part(2, deep)]));
      const spans = [Buffer.concat([ids, name('deep'), attribute]), Buffer.concat([ids, name('good')])];
      const bytes = part(1, part(2, Buffer.concat(spans.map((span) => part(2, span)))));
      const json = otlpExport([
        { ...otlpSpan({}), attributes: [{ key: 'k', value: 'deep' }] },
        otlpSpan({ name: 'good' }),
      ]);
      for (const read of [
        () =>
          otlpJson.decodeRequest(Buffer.from(JSON.stringify(json).replace('"value":"deep"', `"value":${deepJson}`))),
        () => protobuf.decodeRequest(Buffer.from(bytes)),
      ]) {
        const batch = readExport(read(), 1n);
        assert.deepEqual([batch.rejected, batch.spans.map((span) => span.name)], [1, ['good']], `${depth} levels`);
      }
    }
  });
});
