/** Reads a stream of server-sent events: calls back with the data of each whole event. */
export class EventReader {
  readonly #onData: (data: string) => void;
  #rest = '';
  #data: string[] = [];

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(chunk: string): void {
    // A lone CR at the end may be the first half of CRLF.
    const text = this.#rest + chunk;
    const whole = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, whole).split(/\r\n|\n|\r/u);
    this.#rest = (lines.pop() ?? '') + text.slice(whole);
    for (const line of lines) this.#line(line);
  }

  /** What the stream left unfinished is still read: some servers omit the last blank line. */
  end(): void {
    if (this.#rest !== '') this.#line(this.#rest.replace(/\r$/u, ''));
    this.#rest = '';
    this.#line('');
  }

  #line(line: string): void {
    if (line === '') {
      if (this.#data.length > 0) this.#onData(this.#data.join('\n'));
      this.#data = [];
    } else if (line.startsWith('data:')) {
      this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
  }
}
