import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { createProver } from '../../codegen/contain/contains.ts';
import { explain } from '../../codegen/diff/explain.ts';
import { SCHEMA_RULES } from '../../codegen/diff/rules/catalogue.ts';
import { verdictAt, type Rule } from '../../codegen/diff/rules/rule.ts';
import { mutated } from './random-schemas.ts';

const byId = new Map(SCHEMA_RULES.map((rule) => [rule.id, rule]));

/** Changes whose verdict is the same, or does not turn round, on the two sides; each with its reason. */
const NOT_MIRRORED: Readonly<Record<string, string>> = {
  'property-added-required-with-default': 'a closed reader refuses any property it does not know',
  'property-added-required': 'a closed reader refuses any property it does not know',
  'property-removed': 'a closed server refuses it and a reader misses it',
  'property-renamed': 'names are identity',
  'property-removed-after-sunset': 'the end was announced on both sides',
  'pattern-properties-removed': 'depends on what rules the rest',
  'type-changed': 'neither set holds the other',
  'const-changed': 'neither set holds the other',
  'multiple-of-changed': 'neither set holds the other unless one step divides the other',
  'items-changed': 'decided by containment',
  'unique-items-changed': 'decided by containment',
  'schema-changed': 'several changes at once',
  'content-encoding-or-media-type-changed': 'the bytes mean something else',
  'meaning-tag-changed': 'the value means something else',
  'discriminator-property-changed': 'names are identity',
  'discriminator-value-remapped': 'the tag means something else',
  'size-over-profile': 'a limit of the client, whichever way the value goes',
  'additional-properties-schema-changed': 'decided by containment',
  'dependent-required-changed': 'decided by containment',
  'dependent-schema-changed': 'decided by containment',
  'unevaluated-properties-schema-changed': 'decided by containment',
  'unevaluated-items-schema-changed': 'decided by containment',
};

describe('rules about schemas', () => {
  it('have unique ids and say why and what to do', () => {
    assert.equal(byId.size, SCHEMA_RULES.length);
    for (const rule of SCHEMA_RULES) {
      assert.match(rule.id, /^(in|out)(-[a-z]+)+$/);
      assert.match(rule.rationale, /\.$/, rule.id);
      assert.match(rule.migration, /\.$/, rule.id);
      assert.ok(rule.sets.length > 0, rule.id);
    }
  });

  it('come in pairs, and what breaks one side is safe on the other or says why not', () => {
    for (const rule of SCHEMA_RULES) {
      if (rule.direction !== 'in') continue;
      const mirror = byId.get(rule.id.replace(/^in-/, 'out-'));
      assert.ok(mirror !== undefined, rule.id);
      const bothBreak = rule.verdict === 'breaking' && mirror.verdict === 'breaking';
      const change = rule.id.slice('in-'.length);
      assert.equal(
        Object.hasOwn(NOT_MIRRORED, change),
        bothBreak || change === 'property-removed-after-sunset',
        rule.id,
      );
    }
  });

  it('hold a rule for every cause found in random edits', function () {
    this.timeout(120_000);
    const prover = createProver();
    const seen = new Set<string>();
    fc.assert(
      fc.property(mutated, ([before, after]) => {
        for (const direction of ['in', 'out'] as const) {
          const explanation = explain(before, after, direction, prover);
          if (explanation.verdict !== 'breaking') continue;
          for (const { rule } of explanation.causes) {
            seen.add(rule);
            assert.equal(byId.get(rule)?.direction, direction, rule);
          }
        }
      }),
      { numRuns: 150, seed: 11 },
    );
    assert.ok(seen.size > 15, [...seen].join());
  });

  it('weigh less for what promises less', () => {
    const breaking = byId.get('in-maximum-lowered');
    assert.ok(breaking !== undefined);
    const at = (rule: Rule): string[] =>
      (['draft', 'alpha', 'beta', 'stable'] as const).map((stability) => verdictAt(rule, stability));
    assert.deepEqual(at(breaking), ['notice', 'risky', 'breaking', 'breaking']);
  });
});
