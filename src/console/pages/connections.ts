import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { ConnectionsService } from '../../domain/identity/index.ts';
import { scopeInWords } from '../../oauth/consent-port.ts';
import { addressOf } from '../addresses.ts';
import type { Answer, Visits } from '../visit.ts';

/** Ready to paste, one per client. */
export interface ClientConfig {
  readonly client: string;
  /** Where the text goes: a file, or a shell. */
  readonly where: string;
  readonly text: string;
}

export interface ConnectionPagesParts {
  readonly connections: ConnectionsService;
  readonly mcpUrl: string;
  /** Configurations by OAuth, which need no secret, and by a key. */
  readonly clientConfigs: (key: string | undefined) => readonly ClientConfig[];
  /** Whether clients can connect by OAuth here at all. */
  readonly hasOAuth: boolean;
}

const KEY_PLACEHOLDER = 'YOUR_API_KEY';

export function connectionPages(
  parts: ConnectionPagesParts,
): Pick<PageHandlers<Visits, Answer>, 'connections' | 'connect'> {
  const { connections, mcpUrl, clientConfigs, hasOAuth } = parts;
  return {
    connections: {
      async show({ person }) {
        const rows = await connections.list(person.account.id);
        return {
          view: 'connections',
          title: 'Connections',
          data: {
            hasOAuth,
            rows: rows.map((row) => ({
              ...row,
              scopes: row.scopes.map(scopeInWords),
              trust: row.clientKind === 'document' ? 'Described by its own host' : 'Registered itself',
            })),
          },
        };
      },
      actions: {
        async revoke({ person, project, form }) {
          await connections.revoke(person.account.id, form.text('connection'));
          return { to: addressOf('connections', { projectId: project?.id }), notice: 'connection_revoked' };
        },
      },
    },
    connect: {
      async show() {
        return {
          view: 'connect',
          title: 'Connect an agent',
          data: {
            mcpUrl,
            hasOAuth,
            byOAuth: hasOAuth ? clientConfigs(undefined) : [],
            byKey: clientConfigs(KEY_PLACEHOLDER),
            placeholder: KEY_PLACEHOLDER,
          },
        };
      },
    },
  };
}
