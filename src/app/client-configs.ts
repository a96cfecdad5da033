export interface ClientConfig {
  readonly client: string;
  /** Where the text goes: a file, or a shell. */
  readonly where: string;
  readonly text: string;
}

/** Ready to paste, one per client. The key stands in a header and never in the address; without one clients use OAuth. */
export function clientConfigs(url: string, key: string | undefined): readonly ClientConfig[] {
  const headers = key === undefined ? {} : { headers: { 'X-Api-Key': key } };
  const flag = key === undefined ? '' : ` --header "X-Api-Key: ${key}"`;
  return [
    {
      client: 'Claude Code',
      where: 'shell',
      text: `claude mcp add --transport http overmind ${url}${flag}`,
    },
    { client: 'Cursor', where: '.cursor/mcp.json', text: json({ mcpServers: { overmind: { url, ...headers } } }) },
    { client: 'Codex', where: '~/.codex/config.toml', text: codex(url, key) },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({ servers: { overmind: { type: 'http', url, ...headers } } }),
    },
    {
      client: 'MCP Inspector',
      where: 'shell',
      text: `npx @modelcontextprotocol/inspector --cli ${url} --transport http${flag} --method tools/list`,
    },
    ...(key === undefined ? [] : [curl(url, key)]),
  ];
}

function curl(url: string, key: string): ClientConfig {
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return {
    client: 'curl',
    where: 'shell',
    text: [
      `curl -sS ${url} -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\`,
      `  -H 'X-Api-Key: ${key}' -d '${list}'`,
    ].join('\n'),
  };
}

function codex(url: string, key: string | undefined): string {
  const lines = ['[mcp_servers.overmind]', `url = ${JSON.stringify(url)}`];
  if (key !== undefined) lines.push(`http_headers = { "X-Api-Key" = ${JSON.stringify(key)} }`);
  return lines.join('\n');
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
