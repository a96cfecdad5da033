import assert from 'node:assert/strict';
import { ruleOf } from '../../../codegen/diff/rules/index.ts';
import type { Verdict } from '../../../codegen/diff/rules/rule.ts';
import { edited, type Edits } from '../../codegen/support/contract-tree.ts';
import { judge, judgeTrees } from '../support/trees.ts';

/** One rule: the change that triggers it, and one that must not. */
export interface Fixture {
  readonly rule: string;
  readonly to: Edits;
  /** What the old tree holds beyond the base. */
  readonly from?: Edits;
  /** The change that keeps the rule silent; the same change backwards when absent. */
  readonly keeps?: Edits;
  /** When it is not the verdict of the rule. */
  readonly verdict?: Verdict;
  readonly judgeVersion?: boolean;
}

export function describeRules(title: string, fixtures: readonly Fixture[]): void {
  describe(title, function () {
    this.timeout(60_000);
    for (const fixture of fixtures) {
      const { rule, from = {}, to, keeps, judgeVersion = false } = fixture;
      it(`${rule} speaks for ${summary(to)}`, async () => {
        const { findings } = await judge(from, to, { judgeVersion });
        const hit = findings.find((one) => one.rule === rule);
        assert.ok(hit !== undefined, `found ${findings.map((one) => `${one.rule} ${one.entity}`).join(', ')}`);
        assert.equal(hit.verdict, fixture.verdict ?? ruleOf(rule).verdict);
        assert.match(hit.message, /\.$/u);
        assert.match(hit.fingerprint, /^[0-9a-f]{32}$/u);
      });
      it(`${rule} is silent ${keeps === undefined ? 'the other way round' : `for ${summary(keeps)}`}`, async () => {
        const { findings } =
          keeps === undefined
            ? await judgeTrees(edited(to, edited(from)), edited(from), { judgeVersion })
            : await judge(from, keeps, { judgeVersion });
        assert.deepEqual(
          findings.filter((one) => one.rule === rule && (keeps !== undefined || one.verdict !== 'safe')),
          [],
        );
      });
    }
  });
}

function summary(edits: Edits): string {
  return Object.keys(edits).join(', ').slice(0, 80);
}
