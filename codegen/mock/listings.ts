/** The lists of the protocol, as the contract publishes them. */
import type { ContractModel, JsonValue, ResourceSpec } from '../model/types.ts';
import type { Projection } from '../project/index.ts';

export interface Shown {
  readonly grant: 'account' | 'project';
  readonly outputSchema: 'compact' | 'full' | 'none';
}

export function listTools(model: ContractModel, { tools }: Projection, { grant, outputSchema }: Shown): JsonValue[] {
  return model.tools.map((tool) => {
    const published = tools.get(tool.name);
    const { readOnly, destructive, idempotent, openWorld } = tool.behaviour;
    return {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: published?.inputSchema[grant] ?? { type: 'object', properties: {} },
      ...(outputSchema === 'none' || published === undefined
        ? {}
        : { outputSchema: published.outputSchema[outputSchema] }),
      annotations: {
        title: tool.title,
        readOnlyHint: readOnly,
        destructiveHint: destructive,
        idempotentHint: idempotent,
        openWorldHint: openWorld,
      },
    };
  });
}

export function listResources(model: ContractModel): JsonValue[] {
  return model.resources.flatMap((one) => (one.uri === undefined ? [] : [{ uri: one.uri, ...described(one) }]));
}

export function listTemplates(model: ContractModel): JsonValue[] {
  return model.resources.flatMap((one) =>
    one.uriTemplate === undefined ? [] : [{ uriTemplate: publishedTemplate(one), ...described(one) }],
  );
}

/** The template with the query parameters a reader takes. */
export function publishedTemplate({ uriTemplate = '', context, query }: ResourceSpec): string {
  const names = [...(context === 'project' ? ['project_id'] : []), ...query.map(({ name }) => name)];
  return names.length === 0 ? uriTemplate : `${uriTemplate}{?${[...new Set(names)].join(',')}}`;
}

function described({ name, title, description, mimeType }: ResourceSpec): { readonly [key: string]: JsonValue } {
  return { name, title, description, mimeType };
}

export function listPrompts(model: ContractModel): JsonValue[] {
  return model.prompts.map((prompt) => ({
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: prompt.arguments.map(({ name, title, description, required }) => ({
      name,
      title,
      description,
      required,
    })),
  }));
}
