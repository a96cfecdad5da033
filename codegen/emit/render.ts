/** Handlebars for code: nothing is escaped, an unknown name is an error, and strings enter only as literals. */
import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import { commentText } from './contracts/doc-text.ts';
import { literal } from './literal.ts';

type Render = (values: object) => string;

const engine = Handlebars.create();
engine.registerHelper('json', (value: unknown) => literal(value));
engine.registerHelper('doc', (value: unknown) => commentText(String(value)).replaceAll(/\s*\n\s*/gu, ' '));
engine.registerHelper('key', (value: unknown) => propertyKey(String(value)));

const compiled = new Map<string, Render>();

/** Fills a template that stands beside the module at `base`. */
export function render(base: string, template: string, values: object): string {
  const url = new URL(`templates/${template}.hbs`, base);
  let fill = compiled.get(url.href);
  if (fill === undefined) {
    fill = engine.compile(readFileSync(url, 'utf8'), {
      noEscape: true,
      strict: true,
      knownHelpersOnly: true,
      knownHelpers: { json: true, doc: true, key: true },
    });
    compiled.set(url.href, fill);
  }
  return fill(values);
}

/** A property name as TypeScript writes it. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/u.test(name) ? name : literal(name);
}
