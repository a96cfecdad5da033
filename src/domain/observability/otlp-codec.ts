/** What an OTLP/HTTP export is answered with. */
interface ExportAnswer {
  readonly rejectedSpans: number;
  /** Empty when everything was taken as it was. */
  readonly message: string;
}

/** A `google.rpc.Status`. */
export interface RpcStatus {
  /** A canonical RPC code, such as 3 for an invalid argument. */
  readonly code: number;
  readonly message: string;
}

/** One of the encodings that OTLP/HTTP knows. Decoding throws `invalid_request` for bytes of another kind. */
export interface OtlpCodec {
  readonly contentType: string;
  /** The request as plain objects with the field names of the JSON mapping; 64-bit numbers may be texts or big integers. */
  decodeRequest(body: Buffer): unknown;
  encodeAnswer(answer: ExportAnswer): Buffer;
  encodeStatus(status: RpcStatus): Buffer;
}
