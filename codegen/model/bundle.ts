/**
 * The bundle is the one place where `$ref` may point inside the model. Its keys are type names:
 * - a shared model `models/job_receipt.yaml` is `JobReceipt`;
 * - a local `$defs/Stamp` of a body is lifted to `<BodyTypeName>Stamp`, where the body's type name is
 *   `<Tool>Input`, `<Tool>Output`, `<Resource>Payload`, `<Job>JobPayload`, `<Job>Progress`, `<Job>Details`, `<Endpoint>Request|Response`,
 *   `<Error>Fields`, or the model's own type name.
 * Every reference in every schema of the model is `#/$defs/<TypeName>`; no body keeps `$defs` of its own.
 */
import type { ContractModel, JsonSchema } from './types.ts';

/** All named schemas of the model by type name, in name order: what `#/$defs/<TypeName>` resolves against. */
export function bundleDefs(model: Pick<ContractModel, 'models' | 'definitions'>): Record<string, JsonSchema> {
  const named = [...model.models, ...model.definitions];
  named.sort((a, b) => (a.typeName < b.typeName ? -1 : 1));
  return Object.fromEntries(named.map(({ typeName, schema }) => [typeName, schema]));
}
