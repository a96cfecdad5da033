/** Words of the contract with the names in them as links. */
import type { ContractModel } from '../model/types.ts';
import type { Inline, Text } from './page.ts';

/** Where each name has its page. */
export type Names = ReadonlyMap<string, string>;

export function namesOf(model: ContractModel): Names {
  const names = new Map<string, string>();
  const add = (name: string | undefined, page: string): void => {
    if (name !== undefined && !names.has(name)) names.set(name, page);
  };
  for (const tool of model.tools) {
    add(tool.name, `tools/${tool.name}`);
    for (const alias of tool.aliases) add(alias, `tools/${tool.name}`);
  }
  for (const { code } of model.errors) add(code, `errors/${code}`);
  for (const { name } of model.prompts) add(name, `prompts/${name}`);
  for (const { name } of model.scopes) add(name, scopePage(name));
  for (const one of model.resources) add(one.uri ?? one.uriTemplate, resourcePage(one));
  for (const { name } of model.jobs) add(name, `jobs/${name}`);
  return names;
}

export function resourcePage({ name, uri }: { readonly name: string; readonly uri?: string }): string {
  return `${uri === undefined ? 'templates' : 'resources'}/${name}`;
}

/** Scopes have colons, which file names should not. */
export function scopePage(name: string): string {
  return `scopes/${name.replaceAll(/[^A-Za-z0-9_-]+/gu, '-')}`;
}

/** Backticked words become code, and links where they name something that has a page. */
export function prose(text: string, names: Names): Text {
  return text.split('`').map((part, index): Inline => {
    if (index % 2 === 0) return part.replaceAll(/\s+/gu, ' ');
    const page = names.get(part);
    return page === undefined ? { code: part } : { page, text: part, code: true };
  });
}

export function linkTo(name: string, names: Names): Inline {
  const page = names.get(name);
  return page === undefined ? { code: name } : { page, text: name, code: true };
}

/** The names as links, with commas between them. */
export function linksTo(list: readonly string[], names: Names): Text {
  return list.flatMap((name, index) => (index === 0 ? [linkTo(name, names)] : [', ', linkTo(name, names)]));
}

export function firstSentence(text: string): string {
  const [first = ''] = text.replaceAll(/\s+/gu, ' ').split(/(?<=[.!?]) /u);
  return first.replaceAll('`', '').trim();
}
