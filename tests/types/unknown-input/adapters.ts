import type { ToolAdapters } from '../../../generated/contracts/adapters.ts';
import { link, type Contexts } from '../contexts.ts';

export const adapters: ToolAdapters<Contexts> = {
  async create_note(input, { projectId }) {
    return { summary: projectId, note: { id: '1', text: input.txt, labels: [] }, resource: link };
  },
  async get_note(input) {
    return { summary: 'One.', note: { id: input.note_id, text: 'a' } };
  },
  async list_notes(input) {
    return { summary: input.order, notes: [], page: { limit: input.limit, next_cursor: null } };
  },
  async start_export() {
    return { summary: 'Started.', job: { kind: 'note_export', id: '1' }, resource: link };
  },
};
