/** Resources, prompts and completions from the contract alone. */
import { isJsonArray, isJsonObject } from '../canonical/json.ts';
import type { JsonValue, PromptSpec, ResourceSpec } from '../model/types.ts';
import { INVALID_PARAMS, publicFault, rpcFault, RpcFault } from './fault.ts';
import type { Era } from './fault.ts';
import { publishedTemplate } from './listings.ts';
import type { Makers } from './makers.ts';
import { makeText } from './make-text.ts';
import { withMembers } from './make-value.ts';

export interface Asking {
  readonly era: Era;
  readonly wanted: string | undefined;
}

export class Documents {
  readonly #makers: Makers;

  constructor(makers: Makers) {
    this.#makers = makers;
  }

  read(uri: string, { era, wanted }: Asking): Record<string, JsonValue> {
    const { model } = this.#makers;
    const found = this.#match(uri);
    if (found === undefined) throw rpcFault(model, publicFault(model, 'resource_not_found'), era, { uri });
    const { resource, variables } = found;
    if (wanted !== undefined) throw this.#wanted(resource, { code: wanted, era, uri });
    const faults = this.#makers.faults(`${resource.typeName}Variables`, variables);
    if (Object.keys(faults).length > 0) throw rpcFault(model, publicFault(model, 'invalid_input', faults), era);
    const text = resource.text ?? JSON.stringify(this.#payload(resource, uri));
    return {
      contents: [{ uri, mimeType: resource.mimeType, text }],
      ...(era === 'modern' ? { ttlMs: resource.cache.ttlSeconds * 1000, cacheScope: resource.cache.scope } : {}),
    };
  }

  #wanted(
    { name, errors }: ResourceSpec,
    { code, era, uri }: { readonly code: string; readonly era: Era; readonly uri: string },
  ): RpcFault {
    const { model } = this.#makers;
    const declared = [...errors, ...model.errors.filter(({ implied }) => implied).map((error) => error.code)];
    if (!declared.includes(code))
      return new RpcFault(
        INVALID_PARAMS,
        `${name} does not declare that error. It may answer: ${declared.join(', ')}.`,
      );
    const notFound = model.errors.find((error) => error.code === code)?.class === 'not_found';
    return rpcFault(model, publicFault(model, code), era, notFound ? { uri } : {});
  }

  #payload(resource: ResourceSpec, uri: string): JsonValue {
    const typeName = `${resource.typeName}Payload`;
    const node = this.#makers.node(typeName);
    const made = this.#makers.make(typeName, uri, (value) => withMembers(node, value, { uri }));
    if (made === undefined) throw new RpcFault(-32603, `No payload of ${resource.name} could be made up.`);
    return made;
  }

  #match(uri: string): { readonly resource: ResourceSpec; readonly variables: Record<string, JsonValue> } | undefined {
    const [path = '', search = ''] = uri.split('?', 2);
    const query = new URLSearchParams(search);
    for (const resource of this.#makers.model.resources) {
      const variables = valuesOf(resource, path);
      if (variables === undefined) continue;
      const known = new Set(resource.query.map(({ name }) => name));
      for (const [name, value] of query) {
        if (known.has(name)) variables[name] = value;
        else if (name !== 'project_id') return undefined;
      }
      return { resource, variables };
    }
    return undefined;
  }

  prompt(name: string, args: { readonly [name: string]: JsonValue }, era: Era): Record<string, JsonValue> {
    const prompt = this.#makers.model.prompts.find((one) => one.name === name);
    const { model } = this.#makers;
    if (prompt === undefined) throw rpcFault(model, publicFault(model, 'invalid_input', { name: 'is no prompt' }), era);
    const fields = promptFaults(prompt, args);
    if (Object.keys(fields).length > 0) throw rpcFault(model, publicFault(model, 'invalid_input', fields), era);
    const said = (argument: string): string => JSON.stringify(args[argument] ?? '').replaceAll('`', '\\u0060');
    return {
      description: prompt.description,
      messages: prompt.messages.map(({ role, parts }) => ({
        role,
        content: { type: 'text', text: parts.map((one) => ('text' in one ? one.text : said(one.argument))).join('') },
      })),
    };
  }

  complete(params: { readonly [name: string]: JsonValue }): Record<string, JsonValue> {
    const { ref, argument } = params;
    if (!isJsonObject(ref) || !isJsonObject(argument))
      throw new RpcFault(INVALID_PARAMS, 'A completion names a reference and an argument.');
    const { name, value } = argument;
    if (typeof name !== 'string' || typeof value !== 'string')
      throw new RpcFault(INVALID_PARAMS, 'The argument has a name and a value.');
    const values = this.#choices(ref, name).filter((one) => one.startsWith(value));
    return { completion: { values, total: values.length, hasMore: false } };
  }

  #choices(ref: { readonly [name: string]: JsonValue }, name: string): string[] {
    const { model } = this.#makers;
    const prompt = ref['type'] === 'ref/prompt' ? model.prompts.find((one) => one.name === ref['name']) : undefined;
    const resource =
      ref['type'] === 'ref/resource'
        ? model.resources.find((one) => one.uriTemplate === ref['uri'] || publishedTemplate(one) === ref['uri'])
        : undefined;
    if (prompt === undefined && resource === undefined)
      throw new RpcFault(INVALID_PARAMS, 'The reference is no prompt and no resource template.');
    const variable = [...(resource?.variables ?? []), ...(resource?.query ?? [])].find((one) => one.name === name);
    const enumerated = isJsonObject(variable?.schema) ? variable.schema['enum'] : undefined;
    if (isJsonArray(enumerated)) return enumerated.map(String);
    const completion = variable?.completion ?? prompt?.arguments.find((one) => one.name === name)?.completion;
    if (completion === undefined) return [];
    const random = this.#makers.random(`completion ${completion}`);
    const made = Array.from({ length: 8 }, () =>
      makeText({ kind: 'scalar', type: 'string', notes: {}, limits: {} }, random),
    );
    return [...new Set(made.filter((one) => one !== undefined))].sort();
  }
}

function valuesOf({ uri, uriTemplate = '' }: ResourceSpec, path: string): Record<string, JsonValue> | undefined {
  if (uri !== undefined) return uri === path ? {} : undefined;
  const names: string[] = [];
  const pattern = uriTemplate.split(/(\{[^{}]*\})/u).map((part) => {
    if (!part.startsWith('{')) return part.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');
    names.push(part.slice(1, -1));
    return '([^/]+)';
  });
  const matched = new RegExp(`^${pattern.join('')}$`, 'u').exec(path);
  if (matched === null) return undefined;
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(matched[index + 1] ?? '')]));
  } catch {
    return undefined;
  }
}

function promptFaults(prompt: PromptSpec, args: { readonly [name: string]: JsonValue }): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const name of Object.keys(args))
    if (!prompt.arguments.some((argument) => argument.name === name)) fields[name] = 'is not an argument';
  for (const { name, required, maxLength } of prompt.arguments) {
    const value = args[name];
    if (value === undefined || value === '') {
      if (required) fields[name] = 'is required';
    } else if (typeof value !== 'string') fields[name] = 'must be text';
    else if (Array.from(value).length > maxLength) fields[name] = `must have at most ${maxLength} characters`;
  }
  return fields;
}
