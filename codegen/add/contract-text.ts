/** The text of a new contract file: what was asked for, in the grammar, with every bound that a rule demands. */
import { render } from '../emit/render.ts';
import { readField, variable, type Field } from './fields.ts';

export const ADDABLE = ['tool', 'resource', 'prompt', 'model'] as const;
export type Addable = (typeof ADDABLE)[number];

/** What is to be written, by the person's answers. */
export interface Wanted {
  readonly kind: Addable;
  readonly name: string;
  readonly domain: string;
  readonly title: string;
  readonly description: string;
  readonly scope: string;
  readonly project: 'required' | 'none';
  readonly write: boolean;
  /** Whether the contracts have `model:resource_link`, which a write then answers. */
  readonly hasLink: boolean;
  /** As spelt: `name=type`. */
  readonly fields: readonly string[];
  readonly errors: readonly string[];
  /** Address or template of a resource. */
  readonly uri: string;
  /** What a prompt says. */
  readonly text: string;
}

/** Path inside the contract folder and text. Throws `BadField` for a field that is none. */
export function contractText(wanted: Wanted): { readonly path: string; readonly text: string } {
  const { kind, name, domain } = wanted;
  const fields =
    kind === 'resource'
      ? variablesOf(wanted.uri)
      : wanted.fields.map((spelling) => readField(spelling, ownerOf(wanted)));
  const text = render(import.meta.url, kind, { ...wanted, ...viewOf(wanted, fields) });
  const folder = kind === 'tool' || kind === 'resource' ? `${kind}s/${domain}` : `${kind}s`;
  return { path: `${folder}/${name.replaceAll('-', '_')}.yaml`, text };
}

function viewOf(wanted: Wanted, fields: readonly Field[]): object {
  const required = fields.filter((field) => field.required);
  return {
    fields,
    required: required.map(({ name }) => name).join(', '),
    errors: wanted.errors.join(', '),
    readOnly: !wanted.write,
    idempotency: wanted.write ? 'none' : 'natural',
    example: `calls ${wanted.title.toLowerCase()}`,
    sample: JSON.stringify(Object.fromEntries(required.map(({ name, sample }) => [name, sample]))),
  };
}

function ownerOf({ kind, title }: Wanted): string {
  return kind === 'model' ? `of the ${title.toLowerCase()}` : 'that the call is about';
}

function variablesOf(uri: string): Field[] {
  return [...uri.matchAll(/\{([a-z][a-z0-9_]*)\}/gu)].map(([, name = '']) => variable(name));
}
