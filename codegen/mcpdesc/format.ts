/** What the published schema of MCP Description 0.8.0 says, as far as it is read and written here. */
export const VERSION = '0.8.0';
export const SCHEMA = 'https://mcpdesc.org/schema/mcp-description/0.8.0.json';

export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** The format defines titles, output schemas and the rest of an entity from this revision on. */
export const FLOOR = '2025-06-18';

/** Members each closed object may have; `x-` members may stand beside them. */
export const MEMBERS = {
  document: [
    '$schema',
    'mcpdesc',
    'info',
    'protocolVersions',
    'instructions',
    'transports',
    'securitySchemes',
    'security',
    'components',
    'capabilities',
    'tools',
    'resources',
    'resourceTemplates',
    'prompts',
    'tags',
  ],
  info: ['name', 'title', 'description', 'version', 'id', 'icons', 'websiteUrl', 'contact', 'license'],
  tool: [
    'protocolVersions',
    'title',
    'description',
    'icons',
    'tags',
    'deprecated',
    '_meta',
    'security',
    'clientRequirements',
    'name',
    'inputSchema',
    'outputSchema',
    'annotations',
    'execution',
    'examples',
    'interactionExamples',
    'elicitations',
  ],
  resource: [
    'protocolVersions',
    'title',
    'description',
    'icons',
    'tags',
    'deprecated',
    '_meta',
    'security',
    'clientRequirements',
    'uri',
    'name',
    'mimeType',
    'size',
    'annotations',
    'examples',
    'elicitations',
  ],
  resourceTemplate: [
    'protocolVersions',
    'title',
    'description',
    'icons',
    'tags',
    'deprecated',
    '_meta',
    'security',
    'clientRequirements',
    'uriTemplate',
    'name',
    'mimeType',
    'annotations',
    'examples',
    'completionExamples',
    'elicitations',
  ],
  prompt: [
    'protocolVersions',
    'title',
    'description',
    'icons',
    'tags',
    'deprecated',
    '_meta',
    'security',
    'clientRequirements',
    'name',
    'arguments',
    'examples',
    'completionExamples',
    'elicitations',
  ],
  argument: ['name', 'title', 'description', 'required'],
} as const;

/** A document that is not what the schema says, with the pointer to the place. */
export class DescriptionFault extends Error {
  constructor(pointer: string, message: string) {
    super(`${pointer === '' ? '/' : pointer} ${message}`);
    this.name = 'DescriptionFault';
  }
}
