/** The first draft of a tool's tests: every case its contract owes, each red until somebody writes it. */
import type { ContractModel } from '../../model/types.ts';
import { propertyKey, render } from '../render.ts';

/** By path relative to the test folder. Written once and never over a file that exists. */
export function scaffoldTests(model: ContractModel): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const tool of model.tools) {
    const text = render(import.meta.url, 'scaffold', {
      name: tool.name,
      successes: tool.examples.map(({ name }) => propertyKey(name)),
      hasErrors: tool.declaredErrors.length > 0,
      errors: tool.declaredErrors.map(propertyKey),
      hasReferences: tool.references.length > 0,
      references: tool.references.map(({ argument }) => propertyKey(argument)),
    });
    files.set(`tools/${tool.domain}/${tool.name}.test.ts`, text);
  }
  return files;
}
