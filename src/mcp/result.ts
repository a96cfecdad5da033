import { neutralise, stringifyForAgent } from '../kernel/json.ts';
import type { PublicError } from './faults.ts';
import type { ResourceLink } from './links.ts';
import { META_SERVER_INFO, type Era } from './protocol.ts';

/** A tool's answer before it is put on the wire; the JSON text is made once and used for both channels. */
export interface ToolAnswer {
  /** Absent when the error must not be checked against a published output schema. */
  readonly structured: unknown;
  readonly text: string;
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
  const { text, clean } = stringifyForAgent(output);
  return { structured: clean, text, links, isError: false, meta, projectId };
}

/**
 * An error result is always alone. Clients of the handshake revisions check structured content of errors too against
 * the output schema they cached, so there it is left out as soon as a schema is published.
 */
export function errorAnswer(error: PublicError, era: Era, publishesSchema: boolean): ToolAnswer {
  const { text, clean } = stringifyForAgent({ error });
  return {
    structured: era === 'modern' || !publishesSchema ? clean : undefined,
    text,
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

/** The same result as JSON text, around the text that exists already. `serverInfo` is the JSON of the server's identity. */
export function toResultJson(answer: ToolAnswer, era: Era, serverInfo: string): string {
  let json =
    answer.structured === undefined
      ? '{"content":[{"type":"text","text":'
      : `{"structuredContent":${answer.text},"content":[{"type":"text","text":`;
  json += `${JSON.stringify(answer.text)}}`;
  for (const link of answer.links) json += `,${JSON.stringify(nativeLink(link))}`;
  json += answer.isError ? '],"isError":true' : ']';
  if (era === 'modern') {
    const meta = answer.meta === undefined ? '' : `${JSON.stringify(answer.meta).slice(1, -1)},`;
    return `${json},"resultType":"complete","_meta":{${meta}"${META_SERVER_INFO}":${serverInfo}}}`;
  }
  return answer.meta === undefined ? `${json}}` : `${json},"_meta":${JSON.stringify(answer.meta)}}`;
}
