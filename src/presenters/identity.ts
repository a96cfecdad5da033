import type { GetAgentCallsResponse } from '../../generated/contracts/endpoints/get_agent_calls.ts';
import type { GetBrowserSessionsResponse } from '../../generated/contracts/endpoints/get_browser_sessions.ts';
import type { GetConnectionsResponse } from '../../generated/contracts/endpoints/get_connections.ts';
import type { KeySummary } from '../../generated/contracts/models/key_summary.ts';
import type { Member } from '../../generated/contracts/models/member.ts';
import type { AgentCallRow, ApiKey, Connection, KeyPermissions, Session } from '../domain/identity/index.ts';
import type { ProjectMember } from '../domain/projects/index.ts';

const CUT = 255;

export function presentKey(key: ApiKey): KeySummary {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    project_id: key.projectId ?? null,
    permissions: presentPermissions(key.permissions),
    allowed_ips: [...key.allowedIps],
    created_at: key.createdAt.toISOString(),
    expires_at: moment(key.expiresAt),
    last_used_at: moment(key.lastUsedAt),
    revoked_at: moment(key.revokedAt),
  };
}

export function presentPermissions({ read, write }: KeyPermissions): ('read' | 'write')[] {
  return [...(read ? (['read'] as const) : []), ...(write ? (['write'] as const) : [])];
}

export function presentMember(member: ProjectMember): Member {
  return {
    account_id: member.accountId,
    email: member.email,
    is_active: member.isActive,
    has_signed_up: member.hasSignedUp,
    since: member.since.toISOString(),
  };
}

export function presentConnection(connection: Connection): GetConnectionsResponse['connections'][number] {
  return {
    id: connection.id,
    client_id: connection.clientId,
    client_name: connection.clientName.slice(0, CUT),
    client_kind: connection.clientKind,
    redirect_host: connection.redirectHost.slice(0, CUT),
    scopes: [...connection.scopes],
    created_at: connection.createdAt.toISOString(),
    first_used_at: moment(connection.firstUsedAt),
    last_used_at: moment(connection.lastUsedAt),
  };
}

export function presentAgentCall(call: AgentCallRow): GetAgentCallsResponse['calls'][number] {
  return {
    id: call.id,
    at: call.at.toISOString(),
    kind: call.kind,
    name: call.name,
    error_code: call.errorCode ?? null,
    duration_ms: call.durationMs,
    project_id: call.projectId ?? null,
    client_ip: call.clientIp,
    account_email: call.accountEmail ?? null,
    credential_name: call.credentialName?.slice(0, CUT) ?? null,
  };
}

export function presentSession(session: Session, currentId: string): GetBrowserSessionsResponse['sessions'][number] {
  return {
    id: session.id,
    is_current: session.id === currentId,
    client_ip: session.clientIp,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}

function moment(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}
