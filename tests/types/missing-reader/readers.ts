import type { ResourceReaders } from '../../../generated/contracts/readers.ts';
import type { Contexts } from '../contexts.ts';

export const readers: ResourceReaders<Contexts> = {};
