import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { Catalog } from '../../../generated/catalog/contract.ts';
import { AppError } from '../../kernel/errors.ts';
import { argumentsOf, fieldsOf } from '../tool-form.ts';
import type { Answer, PersonVisit, View, Visits } from '../visit.ts';

type Tool = Catalog['tools'][number];

/** What calling a tool gave, as an agent receives it. */
export interface ToolOutcome {
  readonly isError: boolean;
  /** The exact text of the answer. */
  readonly text: string;
  readonly links: readonly { readonly uri: string; readonly title: string }[];
  readonly durationMs: number;
}

export interface CatalogPagesParts {
  readonly catalog: Omit<Catalog, 'validators'>;
  /** Calls a tool for the person in the project at hand, with reading rights only, as one of their agents would. */
  readonly callTool: (visit: PersonVisit, name: string, args: Record<string, unknown>) => Promise<ToolOutcome>;
  readonly countTokens: (text: string) => Promise<number>;
}

interface Grant {
  readonly scope: 'account' | 'project';
  readonly write: boolean;
}

export function catalogPages(parts: CatalogPagesParts): Pick<PageHandlers<Visits, Answer>, 'catalog' | 'catalog_tool'> {
  return {
    catalog: { show: (visit) => browse(parts, visit) },
    catalog_tool: {
      show: (visit) => showTool(parts, visit),
      actions: {
        async call(visit) {
          const tool = requireTool(parts, visit);
          if (!tool.annotations.readOnlyHint) {
            throw new AppError('invalid_input', 'Only tools that read can be called from here.');
          }
          if (tool.context === 'project' && visit.project === undefined) {
            throw new AppError('invalid_input', 'Choose a project first: this tool works inside one.');
          }
          const args = argumentsOf(tool.inputSchema.project, visit.form);
          return showTool(parts, visit, await parts.callTool(visit, tool.name, args));
        },
      },
    },
  };
}

async function browse({ catalog, countTokens }: CatalogPagesParts, { query }: PersonVisit): Promise<View> {
  const search = (query.get('search') ?? '').slice(0, 100).toLowerCase();
  const grant = grantOf(query.get('grant') ?? '');
  const matches = (...texts: readonly string[]): boolean => texts.some((text) => text.toLowerCase().includes(search));
  const isSeen = (entity: { readonly permission: 'read' | 'write' }): boolean =>
    entity.permission === 'read' || grant.write;
  const tools = await Promise.all(
    catalog.tools
      .filter((tool) => isSeen(tool) && matches(tool.name, tool.title, tool.description))
      .map(async (tool) => ({
        ...tool,
        tokens: await countTokens(listingOf(tool, grant)),
        summary: firstSentence(tool.description),
      })),
  );
  return {
    view: 'catalog',
    title: 'Catalog',
    data: {
      search,
      tools,
      tokens: tools.reduce((sum, tool) => sum + tool.tokens, 0),
      resources: catalog.resources.filter((one) => isSeen(one) && matches(one.name, one.title, one.description)),
      prompts: catalog.prompts.filter((one) => isSeen(one) && matches(one.name, one.title, one.description)),
      jobs: catalog.jobs
        .filter((one) => matches(one.name, one.title))
        .map((job) => ({ ...job, statuses: Object.entries(job.statuses).map(([name, group]) => ({ name, group })) })),
      errors: Object.values(catalog.errors).filter((one) => matches(one.code, one.recovery)),
      grants: GRANTS.map(({ name, title }) => ({ name, title, isChosen: name === nameOf(grant) })),
      version: catalog.server.version,
      hash: catalog.contractHash,
    },
  };
}

async function showTool(parts: CatalogPagesParts, visit: PersonVisit, outcome?: ToolOutcome): Promise<View> {
  const tool = requireTool(parts, visit);
  const output = tool.outputSchema.compact;
  const listing = listingOf(tool, { scope: 'project', write: true });
  return {
    view: 'catalog-tool',
    title: tool.title,
    current: 'catalog',
    data: {
      tool,
      tokens: await parts.countTokens(listing),
      fields: fieldsOf(tool.inputSchema.project, visit.form),
      input: tool.inputSchema.project,
      output,
      isReadOnly: tool.annotations.readOnlyHint,
      needsProject: tool.context === 'project' && visit.project === undefined,
      outcome: outcome && {
        ...outcome,
        tokens: await parts.countTokens(outcome.text),
        person: personView(outcome.text),
      },
    },
  };
}

function requireTool({ catalog }: CatalogPagesParts, { params }: PersonVisit): Tool {
  const tool = catalog.tools.find(({ name }) => name === params['tool']);
  if (tool === undefined) throw new AppError('resource_not_found', 'The catalog has no tool of this name.');
  return tool;
}

const GRANTS = [
  { name: 'account-write', title: 'A connection, or an account key' },
  { name: 'account-read', title: 'An account key that only reads' },
  { name: 'project-write', title: 'A project key' },
  { name: 'project-read', title: 'A project key that only reads' },
] as const;

function grantOf(name: string): Grant {
  const [scope, access] = name.split('-');
  return { scope: scope === 'project' ? 'project' : 'account', write: access !== 'read' };
}

function nameOf({ scope, write }: Grant): string {
  return `${scope}-${write ? 'write' : 'read'}`;
}

/** What a client puts before its model: name, description and input. */
function listingOf(tool: Tool, { scope }: Grant): string {
  const { name, description } = tool;
  return JSON.stringify({ name, description, inputSchema: tool.inputSchema[scope] });
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** The answer for people: single facts as a list, lists of objects as tables, all else as text. */
function personView(text: string): object {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return { facts: [{ name: 'answer', value }], tables: [] };
  const entries = Object.entries(value);
  const tables = entries.flatMap(([name, member]) => {
    const rows: unknown[] = Array.isArray(member) ? member : [];
    const objects = rows.filter((row): row is Record<string, unknown> => typeof row === 'object' && row !== null);
    if (objects.length === 0 || objects.length !== rows.length) return [];
    const columns = [...new Set(objects.flatMap((row) => Object.keys(row)))];
    return [{ name, columns, rows: objects.map((row) => columns.map((column) => row[column])) }];
  });
  const shown = new Set(tables.map(({ name }) => name));
  return {
    facts: entries.filter(([name]) => !shown.has(name)).map(([name, fact]) => ({ name, value: fact })),
    tables,
  };
}
