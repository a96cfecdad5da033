import { ownEntry, type JsonObject } from '../contain/json.ts';
import { array, differs, edit, type Descent, type Edit } from './edits.ts';

interface Nodes {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

export function arrayEdits(nodes: Nodes): Edit[] {
  const { before, after } = nodes;
  const found: Edit[] = [];
  const [was, is] = [ownEntry(before, 'items'), ownEntry(after, 'items')];
  if (differs(before, after, ['items']) && !(isSchema(was) && isSchema(is))) {
    found.push(edit(nodes, ['items'], is === undefined || is === true ? 'items-removed' : 'items-changed'));
  }
  const [heads, others] = [array(before, 'prefixItems').length, array(after, 'prefixItems').length];
  if (heads !== others) {
    found.push(edit(nodes, ['prefixItems', 'items'], others > heads ? 'prefix-items-added' : 'prefix-items-removed'));
  }
  const counts = ['contains', 'minContains', 'maxContains'];
  if (differs(before, after, counts)) {
    found.push({ ...edit(nodes, counts, 'contains-tightened'), mirror: 'contains-loosened' });
  }
  if (differs(before, after, ['unevaluatedItems'])) {
    const closed = ownEntry(after, 'unevaluatedItems') === false;
    found.push(edit(nodes, ['unevaluatedItems'], closed ? 'unevaluated-items-closed' : 'unevaluated-items-opened'));
  }
  return found;
}

export function arrayDescents({ before, after }: Nodes): Descent[] {
  const found: Descent[] = [];
  const [was, is] = [ownEntry(before, 'items'), ownEntry(after, 'items')];
  if (isSchema(was) && isSchema(is)) {
    found.push({ path: '/items', before: was, after: is, place: (schema) => ({ ...before, items: schema }) });
  }
  const [heads, others] = [array(before, 'prefixItems'), array(after, 'prefixItems')];
  for (const [at, head] of heads.entries()) {
    const other = others[at];
    if (other === undefined) continue;
    found.push({
      path: `/prefixItems/${at}`,
      before: head,
      after: other,
      place: (schema) => ({ ...before, prefixItems: heads.map((item, index) => (index === at ? schema : item)) }),
    });
  }
  return found;
}

function isSchema(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}
