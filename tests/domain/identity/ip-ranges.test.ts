import assert from 'node:assert/strict';
import { compileIpRanges } from '../../../src/domain/identity/index.ts';

const CASES: readonly (readonly [readonly string[], string, boolean])[] = [
  [[], '198.51.100.9', true],
  [['203.0.113.7'], '203.0.113.7', true],
  [['203.0.113.7'], '203.0.113.8', false],
  [['203.0.113.7/24'], '203.0.113.200', true],
  [['203.0.113.0/24'], '203.0.114.1', false],
  [['0.0.0.0/0'], '8.8.8.8', true],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['203.0.113.0/24'], '::ffff:203.0.113.9', true],
  [['2001:db8::/32'], '2001:db8:1::5', true],
  [['2001:db8::/32'], '2001:db9::5', false],
  [['fe80::/10'], 'fe80::1%eth0', true],
  [['203.0.113.7', 'nonsense'], '203.0.113.7', false],
  [['203.0.113.7'], '', false],
  [['203.0.113.7'], 'unknown', false],
];

describe('compileIpRanges', () => {
  for (const [ranges, address, expected] of CASES) {
    it(`${expected ? 'admits' : 'refuses'} ${address || 'an empty address'} for [${ranges.join(', ')}]`, () => {
      assert.equal(compileIpRanges(ranges)(address), expected);
    });
  }
});
