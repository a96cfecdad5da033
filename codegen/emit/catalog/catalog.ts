/** The catalog the runtime serves: one literal object per entity and an index that joins them with their validators. */
import { fileName } from '../contracts/homes.ts';
import { relative } from '../contracts/imports.ts';
import type { EmitInput, Emitted, EmittedFile } from '../emitter.ts';
import { literal } from '../literal.ts';
import { render } from '../render.ts';
import {
  errorObject,
  jobObject,
  plain,
  promptObject,
  resourceObject,
  serverObject,
  toolObject,
} from './contract-objects.ts';
import { resourceUriView } from './resource-uris.ts';

interface Entry {
  readonly list: string;
  readonly type: string;
  readonly typeName: string;
  readonly path: string;
  readonly source: string;
  readonly value: object;
}

export function emitCatalog(input: EmitInput): Emitted {
  const { model } = input.canonical;
  const entries: Entry[] = [
    ...model.tools.map((one) => ({
      list: 'tools',
      type: 'ToolContract',
      typeName: one.typeName,
      path: `catalog/tools/${one.domain}/${one.name}.ts`,
      source: one.source.file,
      value: toolObject(one, input),
    })),
    ...model.resources.map((one) => ({
      list: 'resources',
      type: 'ResourceContract',
      typeName: one.typeName,
      path: `catalog/resources/${one.name}.ts`,
      source: one.source.file,
      value: resourceObject(one, model),
    })),
    ...model.prompts.map((one) => ({
      list: 'prompts',
      type: 'PromptContract',
      typeName: one.typeName,
      path: `catalog/prompts/${fileName(one.name)}.ts`,
      source: one.source.file,
      value: promptObject(one, model),
    })),
    ...model.jobs.map((one) => ({
      list: 'jobs',
      type: 'JobContract',
      typeName: one.typeName,
      path: `catalog/jobs/${one.name}.ts`,
      source: one.source.file,
      value: jobObject(one),
    })),
  ];
  const files = new Map<string, EmittedFile>();
  for (const { path, source, type, value } of entries) {
    const contract = relative(path, 'catalog/contract.ts');
    files.set(path, {
      source,
      body: `import type { ${type} } from '${contract}';\n\nexport const contract: ${type} = ${literal(plain(value), 2)};\n`,
    });
  }
  files.set('catalog/contract.ts', { source: '', body: render(import.meta.url, 'contract', {}) });
  files.set('catalog/index.ts', { source: '', body: render(import.meta.url, 'index', indexView(entries, input)) });
  files.set('catalog/resource-uris.ts', {
    source: '',
    body: render(import.meta.url, 'resource-uris', resourceUriView(model)),
  });
  return files;
}

function indexView(entries: readonly Entry[], input: EmitInput): object {
  const { model } = input.canonical;
  const locals = entries.map(({ list, typeName, path }) => ({
    list,
    local: `${typeName}${list.charAt(0).toUpperCase()}${list.slice(1, -1)}`,
    path: relative('catalog/index.ts', path),
  }));
  const lists = ['tools', 'resources', 'prompts', 'jobs'].map((list) => ({
    list,
    locals: locals.filter((one) => one.list === list).map(({ local }) => local),
  }));
  return {
    imports: locals,
    lists,
    server: serverObject(model),
    contractHash: input.surface['contractHash'],
    errors: model.errors.map((error) => ({ code: error.code, value: errorObject(error) })),
    tombstones: model.tombstones
      .filter(({ of }) => of === '')
      .map(({ kind, name, removed, replacement }) => plain({ kind, name, removed, replacement })),
  };
}
