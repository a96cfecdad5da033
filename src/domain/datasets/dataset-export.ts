import { AppError } from '../../kernel/errors.ts';
import type { DatasetEngine, ExportedFile, ExportFormat } from './dataset-engine.ts';
import type { CellView, DatasetService } from './dataset-service.ts';
import type { Dataset } from './dataset.ts';
import { ObjectMissing } from './object-store.ts';
import { optional } from './optional.ts';

export interface ExportRequest {
  readonly format: ExportFormat;
  /** Id or version; the one in use by default. */
  readonly cell?: string;
  readonly signal?: AbortSignal;
}

/** A version as a file, with what its reader needs to hold it against the dataset later. */
export interface DatasetExport {
  readonly dataset: Dataset;
  readonly cell: CellView;
  readonly rows: number;
  readonly fingerprint: string;
  /** Whoever got it reads or releases the file. */
  readonly file: ExportedFile;
}

/** Gives versions away as files. */
export class DatasetExports {
  readonly #datasets: Pick<DatasetService, 'version'>;
  readonly #engine: DatasetEngine;

  constructor(parts: { readonly datasets: Pick<DatasetService, 'version'>; readonly engine: DatasetEngine }) {
    this.#datasets = parts.datasets;
    this.#engine = parts.engine;
  }

  async export(projectId: string, reference: string, request: ExportRequest): Promise<DatasetExport> {
    const { dataset, cell } = await this.#datasets.version(projectId, reference, request.cell);
    const { table } = cell;
    try {
      const file = await this.#engine.export(table.objectKey, request.format, optional('signal', request.signal));
      return { dataset, cell, rows: table.rows, fingerprint: table.fingerprint, file };
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      throw new AppError('unavailable', 'The rows of this version cannot be read at the moment; try again later.', {
        cause: error,
      });
    }
  }
}
