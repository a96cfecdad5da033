import { z, type ZodTypeAny } from 'zod';

interface Node {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
}

const toZod = (node: Node): ZodTypeAny => {
  const described = (type: ZodTypeAny): ZodTypeAny => (node.description ? type.describe(node.description) : type);
  if (node.enum) return described(z.enum(node.enum as [string, ...string[]]));
  if (node.type === 'string')
    return described(
      z
        .string()
        .min(node.minLength ?? 0)
        .max(node.maxLength ?? 10_000),
    );
  if (node.type === 'integer')
    return described(
      z
        .number()
        .int()
        .min(node.minimum ?? 0)
        .max(node.maximum ?? 1e9),
    );
  if (node.type === 'boolean') return described(z.boolean());
  if (node.type === 'array') return described(z.array(toZod(node.items ?? {})).max(node.maxItems ?? 1000));
  return described(z.object(zodShape(node)).strict());
};

/** The same schema in the form the SDKs' documented way asks for. */
export const zodShape = (schema: Node): Record<string, ZodTypeAny> =>
  Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, node]) => [
      name,
      schema.required?.includes(name) ? toZod(node) : toZod(node).optional(),
    ]),
  );
