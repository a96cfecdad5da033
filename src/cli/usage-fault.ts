/** The command cannot be carried out as it was written; the message says what to write instead. */
export class UsageFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageFault';
  }
}

/** The server was reached and refused, or the work it did failed. */
export class Refused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refused';
  }
}
