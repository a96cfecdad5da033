import type { ContractDocument } from '../load/document.ts';
import { lifecycleOf, referencesOf } from './build-tool.ts';
import { fields, listOf, maybe, maybeText, numberOf, textOf, textsOf, wordOf } from './fields.ts';
import { pascalCase } from './names.ts';
import type { NameTable } from './names.ts';
import type { References } from './references.ts';
import type { ResourceSpec, VariableSpec } from './types.ts';
import { parseUriTemplate } from './uri-template.ts';

function variablesOf(
  document: ContractDocument,
  key: 'variables' | 'query',
  owner: string,
  references: References,
): VariableSpec[] {
  return Object.entries(fields(document.value[key])).map(([name, schema]) => {
    const from = fields(schema);
    return {
      name,
      description: textOf(from, 'description'),
      schema: references.body(document, [key, name], schema, owner, 'any'),
      ...maybe('completion', maybeText(from, 'completion')),
    };
  });
}

/** `none` is for fixed text that needs no account data; a JSON resource without a project speaks of the account. */
function contextOf(document: ContractDocument): ResourceSpec['context'] {
  if (document.value['project'] === 'required') return 'project';
  return document.value['payload'] === undefined ? 'none' : 'account';
}

export function buildResource(document: ContractDocument, references: References, names: NameTable): ResourceSpec {
  const from = document.value;
  const name = textOf(from, 'name');
  const typeName = pascalCase(name);
  for (const suffix of ['Variables', 'Payload'])
    names.claim(typeName + suffix, `resource ${name}`, document.source.locate(['name']));
  const uriTemplate = maybeText(from, 'uri_template');
  const order = uriTemplate === undefined ? [] : parseUriTemplate(uriTemplate).variables;
  const variables = variablesOf(document, 'variables', `${typeName}Variables`, references);
  const cache = fields(from['cache']);
  const payload = from['payload'];
  return {
    kind: 'resource',
    name,
    typeName,
    domain: document.domain ?? '',
    title: textOf(from, 'title'),
    description: textOf(from, 'description'),
    ...lifecycleOf(from),
    ...maybe('uri', maybeText(from, 'uri')),
    ...maybe('uriTemplate', uriTemplate),
    mimeType: textOf(from, 'mime_type'),
    context: contextOf(document),
    scopes: textsOf(from, 'scopes').sort(),
    cache: {
      ttlSeconds: numberOf(cache, 'ttl_seconds'),
      scope: wordOf(cache, 'scope', ['private', 'public'], 'private'),
    },
    variables: variables.sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name)),
    query: variablesOf(document, 'query', `${typeName}Variables`, references).sort((left, right) =>
      left.name < right.name ? -1 : 1,
    ),
    references: referencesOf(from, 'variable'),
    ...(payload === undefined
      ? {}
      : { payload: references.body(document, ['payload'], payload, `${typeName}Payload`, 'object') }),
    ...maybe('text', maybeText(from, 'text')),
    errors: textsOf(from, 'errors').sort(),
    examples: listOf(from, 'examples').map((one) => {
      const example = fields(one);
      const values = fields(example['variables']);
      const given = Object.keys(values).map((key) => [key, textOf(values, key)]);
      return { name: textOf(example, 'name'), variables: Object.fromEntries(given) };
    }),
    source: document.source,
  };
}
