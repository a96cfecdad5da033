import assert from 'node:assert/strict';
import { BoundedMap, clip } from '../../src/kernel/bounded.ts';
import { didYouMean } from '../../src/kernel/did-you-mean.ts';

describe('didYouMean', () => {
  it('finds slips, other spellings and longer forms', () => {
    const known = ['dataset', 'limit', 'project_id', 'created_after'];
    assert.equal(didYouMean('limt', known), 'limit');
    assert.equal(didYouMean('projectId', known), 'project_id');
    assert.equal(didYouMean('dataset_id', known), 'dataset');
    assert.equal(didYouMean('createdAfter', known), 'created_after');
  });

  it('says nothing about words that are just different, and about very long ones', () => {
    assert.equal(didYouMean('zzz', ['limit', 'label']), undefined);
    assert.equal(didYouMean('x'.repeat(10_000), ['x']), undefined);
    assert.equal(didYouMean('', ['a']), undefined);
  });
});

describe('BoundedMap', () => {
  it('forgets the oldest entry when it is full', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('c', 3);
    assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [undefined, 2, 3]);
  });
});

describe('clip', () => {
  it('cuts within one code point of the limit', () => {
    assert.equal(clip('a🎉b', 2), 'a');
    assert.equal(clip('a🎉b', 3), 'a🎉');
  });
});
