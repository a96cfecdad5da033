import { AppError } from '../kernel/errors.ts';

export interface RefusalOptions {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A guard's no: an error that already knows its status and what headers go with it. */
export class Refusal extends AppError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, options: RefusalOptions = {}) {
    super(code, message, options.fields === undefined ? {} : { fields: options.fields });
    this.name = 'Refusal';
    this.status = status;
    this.headers = options.headers ?? {};
  }
}
