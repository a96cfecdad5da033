export interface ClientConfig {
  readonly client: string;
  /** Where the text goes: a file, or a shell. */
  readonly where: string;
  readonly text: string;
}

/** Ready to paste, one per client. The key stands in a header and never in the address. */
export function clientConfigs(url: string, key: string): readonly ClientConfig[] {
  const headers = { 'X-Api-Key': key };
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return [
    {
      client: 'Claude Code',
      where: 'shell',
      text: `claude mcp add --transport http overmind ${url} --header "X-Api-Key: ${key}"`,
    },
    { client: 'Cursor', where: '.cursor/mcp.json', text: json({ mcpServers: { overmind: { url, headers } } }) },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({ servers: { overmind: { type: 'http', url, headers } } }),
    },
    {
      client: 'MCP Inspector',
      where: 'shell',
      text: `npx @modelcontextprotocol/inspector --cli ${url} --transport http --header "X-Api-Key: ${key}" --method tools/list`,
    },
    {
      client: 'curl',
      where: 'shell',
      text: [
        `curl -sS ${url} -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\`,
        `  -H 'X-Api-Key: ${key}' -d '${list}'`,
      ].join('\n'),
    },
  ];
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
