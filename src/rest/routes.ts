import type { EndpointContract, EndpointHandler } from './endpoint.ts';

export interface Route {
  readonly contract: EndpointContract;
  readonly handler: EndpointHandler;
  readonly segments: readonly string[];
}

/** Joins contracts and handlers by name. Throws on either without the other, and on a contract without its impact. */
export function joinRoutes(
  contracts: readonly EndpointContract[],
  handlers: Readonly<Record<string, EndpointHandler>>,
): readonly Route[] {
  for (const name of Object.keys(handlers)) {
    if (!contracts.some((contract) => contract.name === name)) {
      throw new Error(`The endpoint ${name} has a handler but no contract; write schemas/endpoints/…/${name}.yaml.`);
    }
  }
  return contracts.map((contract) => {
    const handler = handlers[contract.name];
    if (handler === undefined) throw new Error(`The endpoint ${contract.name} has a contract but no handler.`);
    const { class: impact, reason } = contract.mcpImpact;
    if (impact !== 'mcp_ready' && (reason ?? '').trim() === '') {
      throw new Error(`The endpoint ${contract.name} is ${impact} and does not say why.`);
    }
    if ((contract.auth === 'none') !== (contract.permission === undefined)) {
      throw new Error(`The endpoint ${contract.name} must name a permission exactly when it asks for a credential.`);
    }
    return { contract, handler, segments: segmentsOf(contract.path) };
  });
}

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Routes of this path, whatever their method. */
export function matchPath(routes: readonly Route[], path: string): readonly Match[] {
  const segments = segmentsOf(path);
  return routes.flatMap((route) => {
    const params = matchSegments(route.segments, segments);
    return params === undefined ? [] : [{ route, params }];
  });
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!expected.startsWith('{')) {
      if (expected !== segment) return undefined;
      continue;
    }
    const value = decode(segment);
    if (value === undefined || value === '') return undefined;
    params[expected.slice(1, -1)] = value;
  }
  return params;
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(1);
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
