import type { Bump, Finding, VersionAdvice } from './finding.ts';

type Parts = readonly [major: number, minor: number, patch: number, pre: string];

const ORDER: readonly Bump[] = ['none', 'patch', 'minor', 'major'];

export function parseVersion(version: string): Parts | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/u.exec(version);
  if (match === null) return undefined;
  return [Number(match[1]), Number(match[2]), Number(match[3]), match[4] ?? ''];
}

export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === undefined || right === undefined) return a < b ? -1 : a > b ? 1 : 0;
  for (const at of [0, 1, 2] as const) if (left[at] !== right[at]) return left[at] - right[at];
  if (left[3] === right[3]) return 0;
  if (left[3] === '' || right[3] === '') return left[3] === '' ? 1 : -1;
  return left[3] < right[3] ? -1 : 1;
}

/** What the findings, approved or not, make of the version. */
export function adviseVersion(
  ends: { before: string; after: string },
  findings: readonly Finding[],
  changed: boolean,
): VersionAdvice {
  const { before, after } = ends;
  const bumps = findings.map(bumpOf);
  const floor: Bump = changed ? 'patch' : 'none';
  const needed = bumps.reduce((most, one) => (ORDER.indexOf(one) > ORDER.indexOf(most) ? one : most), floor);
  const old = parseVersion(before);
  // Before 1.0.0 the minor number stands for the major one.
  const required = old?.[0] === 0 && needed === 'major' ? 'minor' : needed;
  return { before, after, required, given: givenBump(before, after), suggested: bump(before, required) };
}

function bumpOf({ verdict, rule, sets }: Finding): Bump {
  if (verdict === 'breaking' || verdict === 'unknown') {
    return sets.every((set) => set === 'source') ? 'none' : 'major';
  }
  if (rule.endsWith('-added') || rule.endsWith('-raised') || rule.endsWith('-widened')) return 'minor';
  return verdict === 'risky' ? 'minor' : 'patch';
}

function givenBump(before: string, after: string): Bump | 'decrease' {
  const [old, now] = [parseVersion(before), parseVersion(after)];
  const order = compareVersions(before, after);
  if (order > 0) return 'decrease';
  if (order === 0 || old === undefined || now === undefined) return 'none';
  if (old[0] !== now[0]) return 'major';
  return old[1] !== now[1] ? 'minor' : 'patch';
}

function bump(version: string, by: Bump): string {
  const parts = parseVersion(version);
  if (parts === undefined || by === 'none') return version;
  const [major, minor, patch] = parts;
  if (by === 'major') return `${major + 1}.0.0`;
  return by === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** The rule the version breaks, if it breaks one. */
export function versionFault(advice: VersionAdvice): { readonly rule: string; readonly message: string } | undefined {
  const { before, after, required, given, suggested } = advice;
  if (given === 'decrease') {
    return { rule: 'version-decreased', message: `The version goes down from ${before} to ${after}.` };
  }
  if (required === 'none') return undefined;
  if (given === 'none') {
    const message = `The surface changed and the version is still ${before}; ${suggested} tells the truth.`;
    return { rule: 'version-not-bumped', message };
  }
  if (ORDER.indexOf(given) < ORDER.indexOf(required)) {
    const message = `${after} says ${given}, and the change is ${required}; ${suggested} tells the truth.`;
    return { rule: 'version-bump-too-small', message };
  }
  if (ORDER.indexOf(given) > ORDER.indexOf(required)) {
    return { rule: 'version-bump-too-large', message: `${after} says ${given}, and the change is ${required}.` };
  }
  return undefined;
}
