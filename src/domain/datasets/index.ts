export { ObjectDamaged, ObjectMissing } from './object-store.ts';
export type { LocalCopy, ObjectStore, StoredObject, WrittenObject } from './object-store.ts';
export { ROW_IDENTITY } from './dataset-engine.ts';
export type {
  DatasetEngine,
  DatasetRow,
  QueryAnswer,
  QueryRequest,
  TableColumn,
  WriteRowsOptions,
  WrittenTable,
} from './dataset-engine.ts';
