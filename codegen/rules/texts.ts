/** Every text of the model that people or models read, with its place. */
import type { ContractModel, JsonPath, Source } from '../model/types.ts';
import { pathOf, visits } from './walk.ts';

export interface Prose {
  readonly entity: string;
  readonly source: Source;
  readonly path: JsonPath;
  readonly text: string;
  readonly kind: 'title' | 'description' | 'instructions' | 'guidance' | 'prompt' | 'error';
  /** The text stands inside a schema body. */
  readonly inSchema: boolean;
}

const made = new WeakMap<ContractModel, readonly Prose[]>();

function collect(model: ContractModel): Prose[] {
  const all: Prose[] = [];
  const add = (entity: string, source: Source, path: JsonPath, text: string | undefined, kind: Prose['kind']): void => {
    if (text !== undefined && text !== '') all.push({ entity, source, path, text, kind, inSchema: false });
  };
  const { server } = model;
  add('server', server.source, ['description'], server.description, 'description');
  add('server', server.source, ['instructions'], server.instructions, 'instructions');
  for (const one of [
    ...model.tools,
    ...model.resources,
    ...model.prompts,
    ...model.models,
    ...model.jobs,
    ...model.endpoints,
  ]) {
    const entity = `${one.kind} ${one.name}`;
    add(entity, one.source, ['title'], one.title, 'title');
    add(entity, one.source, ['description'], one.description, 'description');
    if (one.kind === 'resource') add(entity, one.source, ['text'], one.text, 'guidance');
    if (one.kind === 'tool')
      for (const [index, { name }] of one.examples.entries())
        add(entity, one.source, ['examples', index, 'name'], name, 'title');
    if (one.kind === 'prompt') {
      for (const [index, argument] of one.arguments.entries())
        add(entity, one.source, ['arguments', index, 'description'], argument.description, 'description');
      for (const [index, { parts }] of one.messages.entries()) {
        const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
        add(entity, one.source, ['messages', index, 'text'], text, 'prompt');
      }
    }
    if (one.kind === 'job')
      for (const { name, meaning } of one.statuses)
        add(entity, one.source, ['statuses', name, 'meaning'], meaning, 'description');
  }
  for (const { code, meaning, when, recovery, source } of model.errors) {
    for (const [key, text] of Object.entries({ meaning, when, recovery }))
      add(`error ${code}`, source, [key], text, 'error');
  }
  for (const visit of visits(model)) {
    const { description } = visit.schema;
    if (typeof description !== 'string') continue;
    all.push({
      entity: visit.root.entity,
      source: visit.root.source,
      path: [...pathOf(visit), 'description'],
      text: description,
      kind: 'description',
      inSchema: true,
    });
  }
  return all;
}

const grouped = new WeakMap<ContractModel, ReadonlyMap<string, readonly Prose[]>>();

/** Where each different text stands: most short descriptions stand in many places and are judged once. */
export function differentTexts(model: ContractModel): ReadonlyMap<string, readonly Prose[]> {
  let all = grouped.get(model);
  if (all === undefined) {
    const places = new Map<string, Prose[]>();
    for (const prose of texts(model)) {
      const known = places.get(prose.text);
      if (known === undefined) places.set(prose.text, [prose]);
      else known.push(prose);
    }
    grouped.set(model, places);
    all = places;
  }
  return all;
}

export function texts(model: ContractModel): readonly Prose[] {
  let all = made.get(model);
  if (all === undefined) {
    all = collect(model);
    made.set(model, all);
  }
  return all;
}
