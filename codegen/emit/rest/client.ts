/** A client of the REST operations: one typed method each, over any `fetch`. */
import type { EmitInput, Emitted } from '../emitter.ts';
import { findHomes } from '../contracts/homes.ts';
import { importLines } from '../contracts/imports.ts';
import { render } from '../render.ts';
import { routed } from './surfaces.ts';

const PATH = 'client/index.ts';

export function emitClient({ canonical }: EmitInput): Emitted {
  const { model } = canonical;
  if (model.endpoints.length === 0) return new Map();
  const { pathOf } = findHomes(canonical);
  const known = (typeName: string): string | undefined => (pathOf.has(typeName) ? typeName : undefined);
  const operations = routed(model.endpoints).map((endpoint) => {
    const { typeName, request, response } = endpoint;
    const parameters = known(`${typeName}ParametersCall`) ?? known(`${typeName}Parameters`);
    const body =
      known(`${typeName}RequestCall`) ?? known(`${typeName}Request`) ?? (request === undefined ? undefined : 'RawBody');
    const answer = known(`${typeName}Response`) ?? (response.contentType === undefined ? 'void' : 'RawAnswer');
    const members = [
      ...(parameters === undefined ? [] : [`readonly parameters: ${parameters}`]),
      ...(body === undefined ? [] : [`readonly body: ${body}`]),
    ];
    return {
      name: endpoint.name,
      title: endpoint.title,
      method: endpoint.method,
      path: endpoint.path,
      request: members.length === 0 ? 'NoRequest' : `{ ${members.join('; ')} }`,
      answer,
      spec: {
        method: endpoint.method,
        path: endpoint.path,
        places: Object.fromEntries(endpoint.parameters.map((one) => [one.name, one.in])),
        isJson: request?.schema !== undefined,
        answers: answer === 'void' ? 'nothing' : answer === 'RawAnswer' ? 'bytes' : 'json',
      },
      types: [parameters, body, answer].filter((name) => name !== undefined && pathOf.has(name)),
    };
  });
  const names = operations.flatMap(({ types }) => types.filter((name) => name !== undefined));
  const body = render(import.meta.url, 'client', { operations, imports: importLines(PATH, names, pathOf) });
  return new Map([[PATH, { source: '', body }]]);
}
