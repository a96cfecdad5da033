/** The published schemas of every tool, and what they leave out. */
import type { CanonicalModel, Shape } from '../canonical/index.ts';
import { pointerOf } from '../canonical/index.ts';
import { isJsonArray, isJsonObject, member } from '../canonical/json.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ContractModel, JsonPath } from '../model/types.ts';
import { projectInput } from './input.ts';
import type { Loss } from './loss.ts';
import { projectOutput } from './output.ts';

export interface PublishedTool {
  readonly name: string;
  readonly inputSchema: { readonly account: JsonObject; readonly project: JsonObject };
  readonly outputSchema: { readonly compact: JsonObject; readonly full: JsonObject };
}

export interface Projection {
  readonly tools: ReadonlyMap<string, PublishedTool>;
  readonly losses: readonly Loss[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The argument an account credential adds to a call of a project tool. */
const PROJECT_ID: JsonObject = { type: 'string' };

export function projectModel(canonical: CanonicalModel): Projection {
  const losses: Loss[] = [];
  const diagnostics: Diagnostic[] = [];
  const tools = new Map<string, PublishedTool>();
  for (const tool of canonical.model.tools) {
    const input = canonical.shapes.get(`${tool.typeName}Input`);
    const output = canonical.shapes.get(`${tool.typeName}Output`);
    if (input === undefined || output === undefined) continue;
    const project = inputOf(tool, input, canonical, losses, diagnostics);
    tools.set(tool.name, {
      name: tool.name,
      inputSchema: { account: tool.context === 'project' ? withProject(project) : project, project },
      outputSchema: {
        compact: projectOutput(output.node, 'compact', canonical.lookup),
        full: projectOutput(output.node, 'full', canonical.lookup),
      },
    });
  }
  return { tools, losses, diagnostics };
}

function inputOf(
  tool: ContractModel['tools'][number],
  shape: Shape,
  canonical: CanonicalModel,
  losses: Loss[],
  diagnostics: Diagnostic[],
): JsonObject {
  return projectInput(shape.node, shape.path, {
    lookup: canonical.lookup,
    lose: (path: JsonPath, keyword, message) => {
      losses.push({ entity: `tool ${tool.name} input`, pointer: pointerOf(path), keyword, message });
    },
    fault: ({ path, message, remedy }) => {
      const position = tool.source.locate(path);
      diagnostics.push({
        rule: 'input-is-portable',
        level: 'error',
        message,
        remedy,
        position,
        entity: `tool ${tool.name}`,
        pointer: pointerOf(path),
      });
    },
  });
}

/** `project_id` comes first, so that a reader sees where the call works before anything else. */
function withProject(schema: JsonObject): JsonObject {
  const properties = member(schema, 'properties');
  const required = member(schema, 'required');
  return {
    ...schema,
    properties: { project_id: PROJECT_ID, ...(isJsonObject(properties) ? properties : {}) },
    required: ['project_id', ...(isJsonArray(required) ? required : [])],
  };
}
