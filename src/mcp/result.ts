import { hasOnlyAscii, neutralise, stringifyForAgent } from '../kernel/json.ts';
import type { PublicError } from './faults.ts';
import type { ResourceLink } from './links.ts';
import { META_SERVER_INFO, type Era } from './protocol.ts';

/** A tool's answer before it is put on the wire; the JSON text is made once and used for both channels. */
export interface ToolAnswer {
  /** Absent when the error must not be checked against a published output schema. */
  readonly structured: unknown;
  readonly text: string;
  /** The text is known to be of ASCII alone. */
  readonly isAscii: boolean;
  readonly links: readonly ResourceLink[];
  readonly isError: boolean;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** The project the call worked in; stays inside. */
  readonly projectId: string | undefined;
}

export function successAnswer(
  output: unknown,
  links: readonly ResourceLink[],
  meta: Readonly<Record<string, unknown>> | undefined,
  projectId?: string,
): ToolAnswer {
  const { text, isAscii, clean } = stringifyForAgent(output);
  return { structured: clean, text, isAscii, links, isError: false, meta, projectId };
}

/**
 * An error result is always alone. Clients of the handshake revisions check structured content of errors too against
 * the output schema they cached, so there it is left out as soon as a schema is published.
 */
export function errorAnswer(error: PublicError, era: Era, publishesSchema: boolean): ToolAnswer {
  const { text, isAscii, clean } = stringifyForAgent({ error });
  return {
    structured: era === 'modern' || !publishesSchema ? clean : undefined,
    text,
    isAscii,
    links: [],
    isError: true,
    meta: undefined,
    projectId: undefined,
  };
}

/** The result object, for an SDK to serialise. */
export function toResultObject(answer: ToolAnswer): Record<string, unknown> {
  return {
    ...(answer.structured === undefined ? {} : { structuredContent: answer.structured }),
    content: [{ type: 'text', text: answer.text }, ...answer.links.map(nativeLink)],
    ...(answer.isError ? { isError: true } : {}),
    ...(answer.meta === undefined ? {} : { _meta: answer.meta }),
  };
}

/** Titles are stored text: links are collected before the output is cleaned, so they are cleaned here. */
function nativeLink(link: ResourceLink): Record<string, unknown> {
  return {
    type: 'resource_link',
    uri: link.uri,
    name: link.uri,
    title: neutralise(link.title),
    mimeType: link.mimeType,
  };
}

/** A text for the wire, and whether it is known to be of ASCII alone: counting the bytes of a long one costs as much as copying it. */
export interface WireText {
  readonly text: string;
  readonly isAscii: boolean;
}

/** The same result as JSON text, around the text that exists already. `serverInfo` is the JSON of the server's identity. */
export function toResultJson(answer: ToolAnswer, era: Era, serverInfo: string): WireText {
  const head =
    answer.structured === undefined
      ? '{"content":[{"type":"text","text":'
      : `{"structuredContent":${answer.text},"content":[{"type":"text","text":`;
  let tail = '}';
  for (const link of answer.links) tail += `,${JSON.stringify(nativeLink(link))}`;
  tail += answer.isError ? '],"isError":true' : ']';
  if (era === 'modern') {
    const meta = answer.meta === undefined ? '' : `${JSON.stringify(answer.meta).slice(1, -1)},`;
    tail += `,"resultType":"complete","_meta":{${meta}"${META_SERVER_INFO}":${serverInfo}}}`;
  } else tail += answer.meta === undefined ? '}' : `,"_meta":${JSON.stringify(answer.meta)}}`;
  // What is written as an escape in the second text is ASCII too.
  return { text: `${head}${JSON.stringify(answer.text)}${tail}`, isAscii: answer.isAscii && hasOnlyAscii(tail) };
}
