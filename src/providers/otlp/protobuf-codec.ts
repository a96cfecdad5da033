import protobuf from 'protobufjs';
import type { OtlpCodec } from '../../domain/observability/index.ts';
import { AppError } from '../../kernel/errors.ts';

/** The messages of OTLP trace export, as far as they are read; unknown fields are skipped by the decoder. */
const PROTO = `
syntax = "proto3";
package otlp;
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ExportTraceServiceResponse { ExportTracePartialSuccess partial_success = 1; }
message ExportTracePartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
message RpcStatus { int32 code = 1; string message = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; }
message InstrumentationScope { string name = 1; string version = 2; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  bytes parent_span_id = 4;
  string name = 5;
  int32 kind = 6;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  repeated Event events = 11;
  repeated Link links = 13;
  Status status = 15;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Link { bytes trace_id = 1; bytes span_id = 2; repeated KeyValue attributes = 4; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1;
    bool bool_value = 2;
    int64 int_value = 3;
    double double_value = 4;
    ArrayValue array_value = 5;
    KeyValueList kvlist_value = 6;
    bytes bytes_value = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
`;

/** OTLP in protobuf. Parses the message definitions once, so make one per process. */
export function createProtobufCodec(): OtlpCodec {
  const root = protobuf.parse(PROTO).root;
  const request = root.lookupType('otlp.ExportTraceServiceRequest');
  const response = root.lookupType('otlp.ExportTraceServiceResponse');
  const status = root.lookupType('otlp.RpcStatus');
  return {
    contentType: 'application/x-protobuf',
    decodeRequest(body) {
      try {
        return request.toObject(request.decode(body), { longs: String, bytes: Buffer });
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
