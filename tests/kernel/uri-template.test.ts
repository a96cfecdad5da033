import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileUriTemplate, splitUri, withQuery } from '../../src/kernel/uri-template.ts';

const dataset = compileUriTemplate('stock://datasets/{dataset}{?project_id,period}');

describe('UriTemplate', () => {
  it('gives back every value it expanded', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        (value, period) => {
          fc.pre(!/\p{Surrogate}/u.test(value + period));
          const split = splitUri(dataset.expand({ dataset: value, period }));
          assert.ok(split);
          assert.deepEqual(dataset.match(split.path), { matched: true, variables: { dataset: value } });
          assert.deepEqual(split.query, [['period', period]]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('encodes everything that is not unreserved', () => {
    assert.equal(dataset.expand({ dataset: "run 7/ü%!'()*" }), 'stock://datasets/run%207%2F%C3%BC%25%21%27%28%29%2A');
  });

  it('never takes a query, a fragment or a further path into a variable', () => {
    assert.equal(dataset.match('stock://datasets/a/b').matched, false);
    assert.equal(dataset.match('stock://datasets/').matched, false);
    assert.equal(dataset.match('stock://datasets/a?b').matched, false);
    assert.equal(dataset.match('xstock://datasets/a').matched, false);
    assert.equal(splitUri('stock://datasets/a#b'), undefined);
  });

  it('parses the query first, in any order', () => {
    assert.deepEqual(splitUri('stock://datasets/ds_1?period=1h&project_id=p%2F1'), {
      path: 'stock://datasets/ds_1',
      query: [
        ['period', '1h'],
        ['project_id', 'p/1'],
      ],
    });
  });

  it('tells a malformed escape from a miss', () => {
    for (const bad of ['%ZZ', '%', '%E0%A4%A', '%ff'])
      assert.deepEqual(dataset.match(`stock://datasets/${bad}`), { matched: false, malformed: true });
    assert.deepEqual(dataset.match('stock://other/%ZZ'), { matched: false, malformed: false });
    assert.equal(splitUri('stock://datasets/a?p=%ZZ'), undefined);
  });

  it('refuses to expand without a value', () => {
    assert.throws(() => dataset.expand({}), RangeError);
  });
});

describe('withQuery', () => {
  it('sets a parameter once and keeps the others', () => {
    assert.equal(withQuery('stock://a', 'project_id', 'p 1'), 'stock://a?project_id=p%201');
    assert.equal(withQuery('stock://a?x=1&project_id=old', 'project_id', 'new'), 'stock://a?x=1&project_id=new');
  });
});
