/** Answers of tools: a contract example where one fits, else values made up from the output schema. */
import { canonicalText, isJsonArray, isJsonObject, sameJson } from '../canonical/json.ts';
import type { JsonValue, ToolSpec } from '../model/types.ts';
import { INVALID_PARAMS, publicFault, RpcFault } from './fault.ts';
import type { Era, PublicFault } from './fault.ts';
import type { Jobs } from './jobs.ts';
import type { Makers } from './makers.ts';
import { withMembers } from './make-value.ts';
import { offsetOf, pagedOutput, withPage } from './pages.ts';
import type { Arguments } from './pages.ts';

export interface ToolCall {
  readonly name: string;
  readonly arguments: Arguments;
  readonly era: Era;
  /** Code of the error the caller wants to see. */
  readonly wanted: string | undefined;
}

export interface ToolParts {
  readonly makers: Makers;
  readonly jobs: Jobs;
  /** Rows of a list over all its pages. */
  readonly rows: number;
  readonly grant: 'account' | 'project';
  readonly publishesOutput: boolean;
}

export type ToolOutcome =
  { readonly tool: string; readonly output: JsonValue } | { readonly tool: string; readonly error: PublicFault };

export class Tools {
  readonly #parts: ToolParts;

  constructor(parts: ToolParts) {
    this.#parts = parts;
  }

  call({ name, arguments: sent, wanted }: ToolCall): ToolOutcome {
    const { makers, grant } = this.#parts;
    const tool = this.#find(name);
    const fail = (code: string, fields: JsonValue = {}): ToolOutcome => ({
      tool: tool.name,
      error: publicFault(makers.model, code, fields),
    });
    if (wanted !== undefined) return fail(this.#wanted(tool, wanted), this.#fields(wanted));
    const { project_id: project, ...args } = sent;
    if (tool.context === 'account' && project !== undefined)
      return fail('invalid_input', { project_id: 'is not an argument of this tool' });
    if (tool.context === 'project' && grant === 'account' && typeof project !== 'string')
      return fail('project_required', { project_id: 'is required' });
    const faults = makers.faults(`${tool.typeName}Input`, args);
    if (Object.keys(faults).length > 0) return fail('invalid_input', faults);
    const paged = pagedOutput(tool, makers);
    if (paged !== undefined && offsetOf(args['cursor']) === undefined)
      return fail('invalid_input', { cursor: 'is not a cursor of this list' });
    const output = this.#output(tool, args);
    return output === undefined ? fail('internal_error') : { tool: tool.name, output };
  }

  #output(tool: ToolSpec, args: Arguments): JsonValue | undefined {
    const { makers, jobs, rows } = this.#parts;
    const shown = tool.examples.find(({ input, output }) => output !== undefined && sameJson(input, args));
    const { cursor: _cursor, ...asked } = args;
    const about = `${tool.name} ${canonicalText(asked)}`;
    const polls = jobs.polls(tool);
    const paged = pagedOutput(tool, makers);
    if (shown?.output !== undefined && !polls && tool.job === undefined) return shown.output;
    const node = makers.node(`${tool.typeName}Output`);
    return makers.make(`${tool.typeName}Output`, about, (value) => {
      const told = withMembers(node, shown?.output ?? value, { summary: `Made up from the contract of ${tool.name}.` });
      if (polls) return jobs.state(tool, args, told);
      if (tool.job !== undefined) return jobs.start(tool, told, about);
      return paged === undefined ? told : withPage(paged, told, args, { rows, about }, makers);
    });
  }

  #find(name: string): ToolSpec {
    const { tools } = this.#parts.makers.model;
    const tool = tools.find((one) => one.name === name || one.aliases.includes(name));
    if (tool === undefined) {
      const fault = publicFault(this.#parts.makers.model, 'invalid_tool', {});
      throw new RpcFault(INVALID_PARAMS, fault.message, { data: { ...fault } });
    }
    return tool;
  }

  #wanted(tool: ToolSpec, code: string): string {
    if (tool.errors.includes(code)) return code;
    throw new RpcFault(
      INVALID_PARAMS,
      `${tool.name} does not declare that error. It may answer: ${tool.errors.join(', ')}.`,
    );
  }

  #fields(code: string): JsonValue {
    const { makers } = this.#parts;
    const error = makers.model.errors.find((one) => one.code === code);
    if (error?.fields === undefined) return {};
    const name = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    return makers.make(`${name.join('')}Fields`, code) ?? {};
  }
}

/** The outcome as the result of `tools/call`. Both channels say the same. */
export function toolResult(outcome: ToolOutcome, era: Era, publishesOutput: boolean): Record<string, JsonValue> {
  if ('error' in outcome) {
    const structured = { error: { ...outcome.error } };
    // Clients of the handshake revisions check errors too against the schema of the result.
    const shows = era === 'modern' || !publishesOutput;
    return {
      content: [{ type: 'text', text: JSON.stringify(structured) }],
      ...(shows ? { structuredContent: structured } : {}),
      isError: true,
    };
  }
  const { output } = outcome;
  return {
    content: [{ type: 'text', text: JSON.stringify(output) }, ...linksOf(output)],
    structuredContent: output,
  };
}

function linksOf(output: JsonValue): JsonValue[] {
  const links = isJsonObject(output) ? output['resource_links'] : undefined;
  if (!isJsonArray(links)) return [];
  return links.flatMap((link) => {
    if (!isJsonObject(link) || typeof link['uri'] !== 'string') return [];
    const { uri, title, mimeType } = link;
    return [
      {
        type: 'resource_link',
        uri,
        name: uri,
        ...(title === undefined ? {} : { title }),
        ...(mimeType === undefined ? {} : { mimeType }),
      },
    ];
  });
}
