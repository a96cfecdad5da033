export { ObjectDamaged, ObjectMissing } from './object-store.ts';
export type { LocalCopy, ObjectStore, StoredObject, WrittenObject } from './object-store.ts';
export { ROW_IDENTITY } from './dataset-engine.ts';
export type {
  DatasetEngine,
  DatasetRow,
  ExportedFile,
  ExportFormat,
  FileFormat,
  QueryAnswer,
  QueryRequest,
  SourceFile,
  TableColumn,
  WriteRowsOptions,
  WriteSelectOptions,
  WrittenTable,
} from './dataset-engine.ts';
export type { Cell, CellState, CellTable, Fit } from './cell.ts';
export type { ContractReport, RowStats } from './contracts.ts';
export type { RowFacts } from './row-facts.ts';
export type { CreateFromCalls } from './call-spec.ts';
export type { CreatedDatasets, CreateFromFiles, CreateFromTraces } from './dataset-creation.ts';
export type { AgentMessage } from './dataset-agent.ts';
export type { RunRequest } from './dataset-decisions.ts';
export type { Step } from './dataset-preparation.ts';
export type {
  CellView,
  DatasetDetail,
  DatasetListQuery,
  DatasetOverview,
  DatasetPage,
  DatasetProgress,
  DatasetQuery,
} from './dataset-service.ts';
export type { UsableVersion, UseRequest } from './dataset-use.ts';
export type { Dataset, DatasetIntent, DatasetSourceKind, DatasetState, RankedCapability } from './dataset.ts';
export type { DatasetExport } from './dataset-export.ts';
export { createDatasets } from './datasets.ts';
export type { DatasetJob, Datasets, DatasetsParts } from './datasets.ts';
export type { NextAction } from './next-actions.ts';
export type { QualityFinding } from './quality.ts';
export type { SplitOptions } from './split.ts';
export { UPLOAD_CHUNK_BYTES } from './upload.ts';
export type { Upload } from './upload.ts';
export type { ChatTurn, TurnCell, TurnStatus } from './turn.ts';
