/** Tests that every contract keeps its own word: data per domain, run by one suite. */
import { acceptsNull } from '../../project/input.ts';
import type { ContractModel, JsonValue } from '../../model/types.ts';
import type { EmitInput, Emitted, EmittedFile } from '../emitter.ts';
import { literal } from '../literal.ts';
import { render } from '../render.ts';
import { boundProbes, opened, parentsOf } from './probes.ts';
import { sample } from './sample.ts';

export function emitContractTests(input: EmitInput): Emitted {
  const { model } = input.canonical;
  const files = new Map<string, EmittedFile>();
  for (const domain of model.domains) {
    const tools = model.tools.filter((tool) => tool.domain === domain.name);
    if (tools.length === 0) continue;
    const cases = tools.map((tool) => literal(toolCase(tool, input), 2));
    files.set(`tests/${domain.name}.contract.test.ts`, {
      source: `tools/${domain.name}/`,
      body: render(import.meta.url, 'domain', { cases }),
    });
  }
  files.set('tests/contract-suite.ts', { source: '', body: render(import.meta.url, 'contract-suite', {}) });
  return files;
}

function toolCase(tool: ContractModel['tools'][number], { canonical }: EmitInput): object {
  const { lookup } = canonical;
  const input = canonical.shapes.get(`${tool.typeName}Input`)?.node;
  const output = canonical.shapes.get(`${tool.typeName}Output`)?.node;
  const root = input === undefined ? undefined : opened(input, lookup);
  const members = root?.kind === 'object' ? root.properties : [];
  const outputs =
    output === undefined
      ? []
      : [sample(output, 'least', lookup), sample(output, 'most', lookup)].filter(
          (value): value is JsonValue => value !== undefined,
        );
  return {
    name: tool.name,
    access: tool.context,
    readOnly: tool.behaviour.readOnly,
    examples: tool.examples,
    outputs,
    defaults: Object.fromEntries(
      members.flatMap(({ name, node }) => (node.notes.default === undefined ? [] : [[name, node.notes.default]])),
    ),
    notNullable: members
      .filter(({ node }) => !acceptsNull(node, lookup) && opened(node, lookup).kind !== 'any')
      .map(({ name }) => name),
    required: members
      .filter(({ required, node }) => required && node.notes.default === undefined)
      .map(({ name }) => name),
    parents: input === undefined ? {} : parentsOf(input, lookup),
    probes: input === undefined ? [] : boundProbes(input, lookup),
  };
}
