import { AppError } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';

/** How a caller names a dataset. */
export type DatasetReference = { readonly id: string } | { readonly name: string };

const URI = /^[a-z][a-z0-9+.-]*:\/\/datasets\/([^/?#]+)(?:\?[^#]*)?$/i;

/** An id, the URI of a dataset resource, or a name whose case does not matter. */
export function parseReference(reference: string): DatasetReference {
  const text = reference.trim();
  const inUri = URI.exec(text)?.[1];
  const wanted = inUri === undefined ? text : decoded(inUri);
  const id = wanted.toLowerCase();
  return isUuid(id) ? { id } : { name: wanted };
}

/** Whether a name would be read as the address of a dataset, so that nobody could call it by its name. */
export function isAddress(name: string): boolean {
  return URI.test(name);
}

export function datasetNotFound(): AppError {
  return new AppError(
    'dataset_not_found',
    'No dataset of this project has that id or name; call list_datasets for the ids.',
  );
}

export function ambiguousName(): AppError {
  return new AppError(
    'dataset_not_found',
    'Several datasets of this project have that name; use the dataset id, which list_datasets gives.',
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
