/** Tables of tools for the shipped skills, one per domain that has tools. */
import type { EmitInput, Emitted, EmittedFile } from '../emitter.ts';
import { render } from '../render.ts';

export function emitSkills({ canonical: { model } }: EmitInput): Emitted {
  const files = new Map<string, EmittedFile>();
  for (const domain of model.domains) {
    const tools = model.tools.filter((tool) => tool.domain === domain.name);
    if (tools.length === 0) continue;
    const rows = tools.map((tool) => ({
      name: tool.name,
      purpose: cell(tool.description),
      access: tool.permission,
      answer: tool.job === undefined ? 'at once' : `receipt of ${tool.job}`,
      errors: tool.declaredErrors.map((code) => `\`${code}\``).join(', '),
    }));
    files.set(`skills/${domain.name}-tools.md`, {
      source: `tools/${domain.name}/`,
      body: render(import.meta.url, 'tools', { title: domain.title, rows }),
    });
  }
  return files;
}

/** Text that stays one cell of a table. */
function cell(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll('|', '\\|').trim();
}
