import type { ResourceReaders } from '../../../generated/contracts/readers.ts';
import type { Contexts } from '../contexts.ts';

export const readers: ResourceReaders<Contexts> = {
  async note({ note }) {
    return { note: { id: note, text: 'a' } };
  },
};
