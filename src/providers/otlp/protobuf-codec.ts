import protobuf from 'protobufjs';
import type { OtlpCodec } from '../../domain/observability/index.ts';
import { AppError } from '../../kernel/errors.ts';
import { decodeExportRequest } from './protobuf-request.ts';

/** The messages an export is answered with. */
const PROTO = `
syntax = "proto3";
package otlp;
message ExportTraceServiceResponse { ExportTracePartialSuccess partial_success = 1; }
message ExportTracePartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
message RpcStatus { int32 code = 1; string message = 2; }
`;

/** OTLP in protobuf. Parses the message definitions once, so make one per process. */
export function createProtobufCodec(): OtlpCodec {
  const root = protobuf.parse(PROTO).root;
  const response = root.lookupType('otlp.ExportTraceServiceResponse');
  const status = root.lookupType('otlp.RpcStatus');
  return {
    contentType: 'application/x-protobuf',
    decodeRequest(body) {
      try {
        return decodeExportRequest(body);
      } catch (cause) {
        throw new AppError('invalid_request', 'The body is not an OTLP trace export in protobuf.', { cause });
      }
    },
    encodeAnswer({ rejectedSpans, message }) {
      const isPlain = rejectedSpans === 0 && message === '';
      return bytesOf(response, isPlain ? {} : { partialSuccess: { rejectedSpans, errorMessage: message } });
    },
    encodeStatus: (value) => bytesOf(status, { code: value.code, message: value.message }),
  };
}

function bytesOf(type: protobuf.Type, value: Record<string, unknown>): Buffer {
  return Buffer.from(type.encode(type.fromObject(value)).finish());
}
