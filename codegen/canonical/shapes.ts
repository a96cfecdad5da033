/** Lists every schema of the model that has a type of its own: models, definitions and the bodies of the entities. */
import { pascalCase } from '../model/names.ts';
import type { ContractModel, JsonPath, JsonSchema, JsonValue, Source } from '../model/types.ts';
import { isJsonObject, member, objectOf } from './json.ts';

export type ShapeRole =
  | 'model'
  | 'definition'
  | 'toolInput'
  | 'toolOutput'
  | 'resourceVariables'
  | 'resourcePayload'
  | 'promptArguments'
  | 'jobPayload'
  | 'jobProgress'
  | 'jobDetails'
  | 'endpointParameters'
  | 'endpointRequest'
  | 'endpointResponse'
  | 'errorFields';

export interface ShapeSource {
  readonly typeName: string;
  readonly role: ShapeRole;
  /** Name of the entity the shape belongs to; for a definition, the type name of its owner. */
  readonly entity: string;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly source: Source;
  /** Where the schema stands in its document. */
  readonly path: JsonPath;
}

/** What a caller of a keyed tool may add so that a repeated call is recognised. */
const REQUEST_KEY: JsonSchema = {
  type: 'string',
  minLength: 8,
  maxLength: 128,
  description: 'Same on each retry of this action.',
};

const EMPTY: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

export function shapeSources(model: ContractModel): readonly ShapeSource[] {
  return [
    ...model.models.map((one): ShapeSource => ({
      typeName: one.typeName,
      role: 'model',
      entity: one.name,
      description: one.description,
      schema: one.schema,
      source: one.source,
      path: ['schema'],
    })),
    ...model.definitions.map((one): ShapeSource => ({
      typeName: one.typeName,
      role: 'definition',
      entity: one.owner,
      schema: one.schema,
      source: one.source,
      path: one.path,
    })),
    ...model.tools.flatMap(toolShapes),
    ...model.resources.flatMap(resourceShapes),
    ...model.prompts.map(promptShape),
    ...model.jobs.flatMap(jobShapes),
    ...model.endpoints.flatMap(endpointShapes),
    ...model.errors.flatMap((error): ShapeSource[] => {
      if (error.fields === undefined) return [];
      const typeName = `${pascalCase(error.code)}Fields`;
      return [
        {
          typeName,
          role: 'errorFields',
          entity: error.code,
          schema: error.fields,
          source: error.source,
          path: ['errors', error.code, 'fields'],
        },
      ];
    }),
  ];
}

function toolShapes(tool: ContractModel['tools'][number]): ShapeSource[] {
  const base = { entity: tool.name, source: tool.source };
  const authored = tool.noArguments ? EMPTY : tool.input;
  const input = tool.behaviour.idempotency === 'key' ? withProperty(authored, 'request_key', REQUEST_KEY) : authored;
  return [
    { ...base, typeName: `${tool.typeName}Input`, role: 'toolInput', schema: input, path: ['input'] },
    { ...base, typeName: `${tool.typeName}Output`, role: 'toolOutput', schema: tool.output, path: ['output'] },
  ];
}

function withProperty(schema: JsonSchema, name: string, property: JsonValue): JsonSchema {
  if (!isJsonObject(schema)) return schema;
  const properties = member(schema, 'properties');
  const known = isJsonObject(properties) ? properties : {};
  return Object.hasOwn(known, name) ? schema : { ...schema, properties: { ...known, [name]: property } };
}

function resourceShapes(resource: ContractModel['resources'][number]): ShapeSource[] {
  const base = { entity: resource.name, source: resource.source };
  const all = [...resource.variables, ...resource.query];
  const properties = objectOf(all.map(({ name, schema, description }) => [name, described(schema, description)]));
  const variables: JsonSchema = {
    type: 'object',
    properties,
    required: resource.variables.map(({ name }) => name),
    additionalProperties: false,
  };
  const shapes: ShapeSource[] = [
    {
      ...base,
      typeName: `${resource.typeName}Variables`,
      role: 'resourceVariables',
      schema: variables,
      path: ['variables'],
    },
  ];
  if (resource.payload !== undefined) {
    shapes.push({
      ...base,
      typeName: `${resource.typeName}Payload`,
      role: 'resourcePayload',
      schema: resource.payload,
      path: ['payload'],
    });
  }
  return shapes;
}

function described(schema: JsonSchema, description: string): JsonValue {
  return isJsonObject(schema) && description !== '' ? { ...schema, description } : schema;
}

function promptShape(prompt: ContractModel['prompts'][number]): ShapeSource {
  const properties = objectOf(
    prompt.arguments.map(({ name, description, maxLength }) => {
      return [name, { type: 'string', minLength: 1, maxLength, description }];
    }),
  );
  const required = prompt.arguments.filter((argument) => argument.required).map(({ name }) => name);
  const schema: JsonSchema = { type: 'object', properties, required, additionalProperties: false };
  return {
    typeName: `${prompt.typeName}Arguments`,
    role: 'promptArguments',
    entity: prompt.name,
    schema,
    source: prompt.source,
    path: ['arguments'],
  };
}

function jobShapes(job: ContractModel['jobs'][number]): ShapeSource[] {
  const base = { entity: job.name, source: job.source };
  const shapes: ShapeSource[] = [
    { ...base, typeName: `${job.typeName}JobPayload`, role: 'jobPayload', schema: job.payload, path: ['payload'] },
  ];
  if (job.progress !== undefined)
    shapes.push({
      ...base,
      typeName: `${job.typeName}Progress`,
      role: 'jobProgress',
      schema: job.progress,
      path: ['progress'],
    });
  if (job.details !== undefined)
    shapes.push({
      ...base,
      typeName: `${job.typeName}Details`,
      role: 'jobDetails',
      schema: job.details,
      path: ['details'],
    });
  return shapes;
}

function endpointShapes(endpoint: ContractModel['endpoints'][number]): ShapeSource[] {
  const base = { entity: endpoint.name, source: endpoint.source };
  const properties = objectOf(
    endpoint.parameters.map(({ name, schema, description }) => [name, described(schema, description)]),
  );
  const required = endpoint.parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const shapes: ShapeSource[] = [];
  if (endpoint.parameters.length > 0) {
    const schema: JsonSchema = { type: 'object', properties, required, additionalProperties: false };
    shapes.push({
      ...base,
      typeName: `${endpoint.typeName}Parameters`,
      role: 'endpointParameters',
      schema,
      path: ['parameters'],
    });
  }
  if (endpoint.request?.schema !== undefined) {
    shapes.push({
      ...base,
      typeName: `${endpoint.typeName}Request`,
      role: 'endpointRequest',
      schema: endpoint.request.schema,
      path: ['request', 'schema'],
    });
  }
  if (endpoint.response.schema !== undefined) {
    shapes.push({
      ...base,
      typeName: `${endpoint.typeName}Response`,
      role: 'endpointResponse',
      schema: endpoint.response.schema,
      path: ['response', 'schema'],
    });
  }
  return shapes;
}
