import { readdirSync, readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import type { PageName } from '../../generated/console/pages.ts';
import { neutralise } from '../kernel/json.ts';
import { addressOf } from './addresses.ts';

type Render = (data: object) => string;

export interface Views {
  /** One view inside the frame of the Console. */
  render(view: string, data: object): string;
}

const NUMBER = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 6 });
const COST = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });

/** Compiles every template once. Escaping is on everywhere; no template may turn it off. */
export function loadViews(urlOf: (asset: string) => string): Views {
  const engine = Handlebars.create();
  const folder = new URL('./views/', import.meta.url);
  for (const [name, helper] of Object.entries(helpers(urlOf))) engine.registerHelper(name, helper);
  const compiled = new Map<string, Render>();
  for (const file of readdirSync(folder)) {
    const name = file.replace(/\.hbs$/, '');
    const text = readFileSync(new URL(file, folder), 'utf8');
    if (text.includes('{{{') && name !== 'layout') throw new Error(`The view ${name} turns escaping off.`);
    if (name.startsWith('_')) engine.registerPartial(name.slice(1), text);
    else compiled.set(name, engine.compile(text, { knownHelpersOnly: false }));
  }
  const layout = compiled.get('layout');
  if (layout === undefined) throw new Error('The Console has no layout.');
  return {
    render(view, data) {
      const inner = compiled.get(view);
      if (inner === undefined) throw new Error(`The Console has no view ${view}.`);
      // because a copy of an object is an object
      const clean = neutraliseAll(data) as object;
      return layout({ ...clean, body: inner(clean) });
    },
  };
}

/** Unseen characters out of every text, so that no stored name can reorder or hide what stands around it. */
function neutraliseAll(value: unknown): unknown {
  if (typeof value === 'string') return neutralise(value);
  if (value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(neutraliseAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, neutraliseAll(member)]));
}

interface HelperOptions {
  readonly hash: Readonly<Record<string, unknown>>;
  readonly data?: { readonly root?: { readonly projectId?: string } };
}

function helpers(urlOf: (asset: string) => string): Record<string, Handlebars.HelperDelegate> {
  return {
    asset: (name: unknown) => urlOf(String(name)),
    /** Address of a page in the project at hand: `{{link "trace" trace_id=id}}`. */
    link(page: unknown, options: HelperOptions) {
      const values = Object.entries(options.hash).map(([name, value]) => [name, textOf(value)]);
      const projectId = options.data?.root?.projectId;
      // because templates name pages of the contract, and `addressOf` throws on any other
      return addressOf(String(page) as PageName, { ...(projectId && { projectId }), ...Object.fromEntries(values) });
    },
    eq: (left: unknown, right: unknown) => left === right,
    or: (left: unknown, right: unknown) => left || right,
    time: (value: unknown) => instant(value)?.replace('T', ' ').slice(0, 16).concat(' UTC') ?? '–',
    minute: (value: unknown) => instant(value)?.replace('T', ' ').slice(0, 16) ?? '–',
    iso: (value: unknown) => instant(value) ?? '',
    number: (value: unknown) => (typeof value === 'number' ? NUMBER.format(value) : '–'),
    /** `{{counted 1 "row" "rows"}}`. */
    counted: (value: unknown, one: string, many: string) =>
      typeof value === 'number' ? `${NUMBER.format(value)} ${value === 1 ? one : many}` : '–',
    cost: (value: unknown) => (typeof value === 'number' ? COST.format(value) : '–'),
    percent: (value: unknown) =>
      typeof value === 'number' ? `${NUMBER.format(Math.round(value * 1000) / 10)} %` : '–',
    duration: (value: unknown) => (typeof value === 'number' ? durationWords(value) : '–'),
    json: (value: unknown) =>
      JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one), 2),
    cell: (value: unknown) => cellText(value),
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function instant(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function durationWords(ms: number): string {
  if (ms < 1) return `${NUMBER.format(Math.round(ms * 1000) / 1000)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${NUMBER.format(Math.round(ms / 10) / 100)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
}
