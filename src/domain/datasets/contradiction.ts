import { AppError } from '../../kernel/errors.ts';

/** Values that are fine alone and not together. */
export function contradiction(field: string, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } });
}
