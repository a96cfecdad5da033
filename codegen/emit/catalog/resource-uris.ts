/** Builders of resource URIs: every variable is percent-encoded with no character left as it is but the unreserved ones. */
import type { ContractModel } from '../../model/types.ts';
import { propertyKey } from '../render.ts';
import { literal } from '../literal.ts';

export function resourceUriView(model: ContractModel): object {
  return { builders: model.resources.map(builder) };
}

function builder(resource: ContractModel['resources'][number]): object {
  const query = [...resource.query.map(({ name }) => name), ...(resource.context === 'project' ? ['project_id'] : [])];
  const members = [
    ...resource.variables.map(({ name }) => `readonly ${propertyKey(name)}: string`),
    ...query.map((name) => `readonly ${propertyKey(name)}?: string`),
  ];
  return {
    name: resource.name,
    title: resource.title,
    template: resource.uri ?? resource.uriTemplate,
    parameters:
      members.length === 0
        ? ''
        : `variables: { ${members.join('; ')} }${resource.variables.length === 0 ? ' = {}' : ''}`,
    path: pathExpression(resource.uri ?? resource.uriTemplate ?? ''),
    query: query.map((name) => literal(name)).join(', '),
    hasQuery: query.length > 0,
  };
}

/** `a/{b}` becomes `'a/' + encode(variables.b)`. */
function pathExpression(template: string): string {
  const parts = template.split(/(\{[^{}]+\})/u).filter((part) => part !== '');
  return parts
    .map((part) => (part.startsWith('{') ? `encode(variables[${literal(part.slice(1, -1))}])` : literal(part)))
    .join(' + ');
}
