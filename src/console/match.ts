import type { PageContract, PageHandlers, PageName } from '../../generated/console/pages.ts';
import type { Answer, Visits } from './visit.ts';

/** A page's functions, whoever may open it; the generated interface has typed each for its own visit. */
export interface PageCode {
  readonly show: (visit: never) => Promise<Answer>;
  readonly actions?: Readonly<Record<string, (visit: never) => Promise<Answer>>>;
}

export interface PageRoute {
  readonly contract: PageContract;
  readonly code: PageCode;
  readonly segments: readonly string[];
}

/** Joins contracts and code by name. Throws on either without the other, and on a page without its impact. */
export function joinPages(
  contracts: readonly PageContract[],
  handlers: PageHandlers<Visits, Answer>,
): readonly PageRoute[] {
  // because every generated entry has this shape, with a narrower visit
  const codes = handlers as unknown as Readonly<Record<string, PageCode | undefined>>;
  for (const name of Object.keys(codes)) {
    if (!contracts.some((contract) => contract.name === name)) {
      throw new Error(`The page ${name} has code but no contract; write schemas/pages/${name}.yaml.`);
    }
  }
  return contracts.map((contract) => {
    const code = codes[contract.name];
    if (code === undefined) throw new Error(`The page ${contract.name} has a contract but no code.`);
    const { class: impact, reason, covers } = contract.mcpImpact;
    if (impact === 'mcp_ready' ? covers.length === 0 : (reason ?? '').trim() === '') {
      throw new Error(`The page ${contract.name} does not say how agents reach what it shows, or why they do not.`);
    }
    for (const { name } of contract.actions) {
      if (code.actions?.[name] === undefined) throw new Error(`The action ${name} of ${contract.name} has no code.`);
    }
    return { contract, code, segments: segmentsOf(contract.path) };
  });
}

export interface PageMatch {
  readonly route: PageRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** The page at a path; one slash too many at its end does not matter. Fixed words win over parameters. */
export function matchPage(routes: readonly PageRoute[], path: string): PageMatch | undefined {
  const segments = segmentsOf(path);
  const found = routes.flatMap((route) => {
    const params = paramsOf(route.segments, segments);
    return params === undefined ? [] : [{ route, params }];
  });
  return found.sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0];
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!expected.startsWith('{')) {
      if (expected !== segment) return undefined;
      continue;
    }
    const value = decoded(segment);
    if (value === undefined || value === '') return undefined;
    params[expected.slice(1, -1)] = value;
  }
  return params;
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/+$/, '').split('/').slice(1);
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Names of the navigation, in its order. */
export const NAVIGATION: readonly { readonly title: string; readonly pages: readonly PageName[] }[] = [
  { title: 'Project', pages: ['home', 'traces', 'sessions', 'datasets', 'jobs', 'settings'] },
  { title: 'Agents', pages: ['connect', 'connections', 'keys', 'catalog', 'audit'] },
  { title: 'You', pages: ['projects', 'account'] },
];
