/** The pages of the Console and the interface that its code must fill. A tree without pages gets neither. */
import { plain } from '../catalog/contract-objects.ts';
import type { EmitInput, Emitted } from '../emitter.ts';
import { unionOf } from '../literal.ts';
import { render } from '../render.ts';
import { routed } from '../rest/surfaces.ts';

export function emitPages({ canonical: { model } }: EmitInput): Emitted {
  const own = routed(model.pages);
  if (own.length === 0) return new Map();
  const pages = own.map((page) => {
    const { name, domain, title, path, access, mcpImpact, actions } = page;
    return {
      name,
      title,
      path,
      access,
      actions: actions.map((action) => ({ name: action.name, title: action.title })),
      contract: plain({ name, domain, title, path, access, mcpImpact, actions }),
    };
  });
  const union = unionOf(pages.map(({ name }) => name));
  return new Map([['console/pages.ts', { source: '', body: render(import.meta.url, 'pages', { pages, union }) }]]);
}
