/** Asks the type checker and the generated validators about the same values. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { makeValidator } from '../../../codegen/emit/validators/compile.ts';
import { idOf, schemaView } from '../../../codegen/emit/validators/schema-view.ts';
import { reachable } from '../../../codegen/canonical/reachable.ts';
import { literalPrefix } from '../../../codegen/canonical/type-limits.ts';
import type { CanonicalModel } from '../../../codegen/canonical/index.ts';
import type { Node } from '../../../codegen/canonical/node.ts';
import { literal } from '../../../codegen/emit/literal.ts';
import { emitAll } from '../../../codegen/emit/index.ts';
import { pascalCase } from '../../../codegen/model/names.ts';
import { compileTree, typecheck, withTools, workFolder } from './workshop.ts';
import type { Bodies } from './workshop.ts';
import type { Edits } from '../support/contract-tree.ts';

export interface Question {
  readonly tool: string;
  readonly side: 'input' | 'output';
  readonly value: unknown;
}

export interface Verdict extends Question {
  /** The value compiles as the type a caller sends, or a handler answers. */
  readonly compiles: boolean;
  readonly typeFault: string;
  /** The generated validator accepts it. */
  readonly valid: boolean;
  /** A validator that ignores lengths, ranges, patterns and formats accepts it. */
  readonly wellShaped: boolean;
}

export interface Judged {
  readonly verdicts: readonly Verdict[];
  /** Faults of the type checker outside the questions. */
  readonly otherFaults: readonly string[];
  readonly folder: string;
  readonly files: ReadonlyMap<string, string>;
}

type Check = (value: unknown) => boolean;

/** One tree, one run of the type checker, all questions. */
export async function judge(
  tools: Readonly<Record<string, Bodies>>,
  questions: readonly Question[],
  edits: Edits = {},
): Promise<Judged> {
  const compiled = await compileTree(withTools(tools, edits));
  if (compiled.lines.length > 0) throw new Error(compiled.lines.join('\n'));
  const files = new Map([...(await emitAll(compiled))].map(([path, text]) => [`generated/${path}`, text]));
  for (const [path, text] of questionFiles(questions)) files.set(path, text);
  const folder = workFolder(files);
  const faults = typecheck(folder);
  const checks = new Map<string, { readonly valid: Check; readonly wellShaped: Check }>();
  const verdicts: Verdict[] = [];
  const lines = new Map<string, number>();
  for (const question of questions) {
    const file = fileOf(question);
    const line = (lines.get(file) ?? 1) + 1;
    lines.set(file, line);
    const fault = faults.find((one) => one.file === file && one.line === line);
    const known = checks.get(file) ?? {
      valid: await loadCheck(folder, question),
      wellShaped: shapeCheck(compiled.canonical, question),
    };
    checks.set(file, known);
    verdicts.push({
      ...question,
      compiles: fault === undefined,
      typeFault: fault === undefined ? '' : `${fault.code} ${fault.message}`,
      valid: known.valid(structuredClone(question.value)),
      wellShaped: known.wellShaped(structuredClone(question.value)),
    });
  }
  const otherFaults = faults
    .filter(({ file }) => !file.startsWith('ask_'))
    .map(({ file, line, message }) => `${file}:${line} ${message}`);
  return { verdicts, otherFaults, folder, files };
}

const fileOf = ({ tool, side }: Question): string => `ask_${tool}_${side}.ts`;

/** One value per line, so that a fault's line names its question. */
function questionFiles(questions: readonly Question[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const question of questions) {
    const { tool, side, value } = question;
    const type = `${pascalCase(tool)}${side === 'input' ? 'Call' : 'Output'}`;
    const file = fileOf(question);
    const text = files.get(file) ?? `import type { ${type} } from './generated/contracts/tools/notes/${tool}.ts';\n`;
    const count = text.split('\n').length - 1;
    files.set(file, `${text}export const v${count}: ${type} = ${literal(value)};\n`);
  }
  return files;
}

async function loadCheck(folder: string, { tool, side }: Question): Promise<Check> {
  const url = pathToFileURL(join(folder, `generated/validators/tool-${side}/${tool}.ts`));
  const module = (await import(url.href)) as { readonly validate: Check };
  return module.validate;
}

/** The same shape without what a TypeScript type cannot say. */
function shapeCheck(canonical: CanonicalModel, { tool, side }: Question): Check {
  const shape = canonical.shapes.get(`${pascalCase(tool)}${side === 'input' ? 'Input' : 'Output'}`);
  if (shape === undefined) throw new Error(`no shape for ${tool}`);
  const named = new Map([...reachable(shape.node, canonical.lookup)].map(([name, node]) => [name, bare(node)]));
  const ajv = makeValidator('outbound', named);
  const view = schemaView(bare(shape.node), false);
  const check = ajv
    .addSchema(typeof view === 'object' && view !== null ? view : {}, idOf('asked'))
    .getSchema(idOf('asked'));
  return (value) => check?.(value) === true;
}

function bare(node: Node): Node {
  const none = { limits: {} };
  switch (node.kind) {
    case 'scalar':
      return { ...node, ...none, type: node.type === 'integer' ? 'number' : node.type };
    case 'array':
      return { kind: 'array', items: bare(node.items), notes: node.notes, ...none };
    case 'tuple': {
      const { minItems, maxItems } = node.limits;
      const least = Math.min(minItems ?? 0, node.items.length);
      const most = maxItems !== undefined && maxItems <= node.items.length ? { maxItems } : {};
      return {
        ...node,
        items: node.items.map(bare),
        rest: node.rest === 'closed' ? 'closed' : bare(node.rest),
        limits: { minItems: least, ...most },
      };
    }
    case 'object': {
      const { propertyNames: _names, ...rest } = node;
      return {
        ...rest,
        ...none,
        properties: node.properties.map((property) => ({ ...property, node: bare(property.node) })),
        patterns: node.patterns.map(({ pattern, node: child }) => ({
          pattern: literalPrefix(pattern) === undefined ? '' : pattern,
          node: bare(child),
        })),
        rest: typeof node.rest === 'string' ? node.rest : bare(node.rest),
      };
    }
    case 'union':
      return { ...node, members: node.members.map(bare) };
    case 'any':
    case 'never':
    case 'ref':
    case 'literal':
      return node;
  }
}
