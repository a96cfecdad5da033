/** The grammar of contract files, one JSON Schema per kind. `schemas/meta/` holds the published copies. */
import type { Kind } from '../load/layout.ts';
import {
  change,
  domainList,
  endpoint,
  errorList,
  job,
  model,
  page,
  profile,
  prompt,
  scopeList,
  server,
  tombstoneList,
} from './others.ts';
import type { Node } from './parts.ts';
import { resource } from './resource.ts';
import { schemaBody } from './schema-body.ts';
import { tool } from './tool.ts';

export const GRAMMAR: Readonly<Record<Kind, Node>> = {
  server,
  errors: errorList,
  scopes: scopeList,
  domains: domainList,
  model,
  tool,
  resource,
  prompt,
  job,
  endpoint,
  page,
  profile,
  change,
  tombstones: tombstoneList,
};

/** Resolves the one reference the grammar uses. */
export function grammarReference(ref: string): Node | undefined {
  return ref === '#/$defs/schema' ? schemaBody : undefined;
}

/** File name and text of each published grammar, for `schemas/meta/`. */
export function publishedGrammar(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [kind, node] of Object.entries(GRAMMAR)) {
    const usesBodies = JSON.stringify(node).includes('#/$defs/schema');
    const document = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: `${kind} contract`,
      ...node,
      ...(usesBodies ? { $defs: { schema: schemaBody } } : {}),
    };
    files.set(`${kind}.schema.json`, `${JSON.stringify(document, null, 2)}\n`);
  }
  return files;
}
