import type { Adapter, AdapterPayload } from 'oidc-provider';
import {
  ACCESS_TOKEN_SECONDS,
  type OAuthPayload,
  type OAuthStore,
  type OAuthTokenKind,
  type OAuthTokensService,
} from '../domain/identity/index.ts';
import type { OAuthErrors } from './library.ts';
import { FAR_SECONDS, INTERACTION_SECONDS, type OAuthAddresses } from './settings.ts';

export interface AdapterParts {
  readonly store: OAuthStore;
  readonly tokens: OAuthTokensService;
  readonly addresses: OAuthAddresses;
  readonly errors: OAuthErrors;
}

const TOKEN_KINDS: Readonly<Record<string, OAuthTokenKind>> = {
  AuthorizationCode: 'code',
  AccessToken: 'access',
  RefreshToken: 'refresh',
};

/** The library's view of the store: one adapter per model. */
export function createAdapterFactory(parts: AdapterParts): (model: string) => Adapter {
  return (model) => {
    if (model === 'Client') return clientAdapter(parts);
    if (model === 'Grant') return grantAdapter(parts);
    const kind = TOKEN_KINDS[model];
    return kind === undefined ? recordAdapter(model, parts) : tokenAdapter(kind, parts);
  };
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

function clientAdapter({ store }: AdapterParts): Adapter {
  return {
    upsert: (id, payload) => store.saveClient(id, { ...payload }),
    find: (id) => store.findClient(id),
    destroy: (id) => store.removeClient(id),
    findByUid: nothing,
    findByUserCode: nothing,
    consume: nothing,
    revokeByGrantId: nothing,
  };
}

/** Grants are made where a person consents and only read here. */
function grantAdapter({ tokens, addresses }: AdapterParts): Adapter {
  return {
    upsert: () => Promise.reject(new Error('Grants are made by consent only.')),
    async find(id): Promise<AdapterPayload | undefined> {
      const grant = await tokens.findGrant(id);
      if (grant === undefined || grant.resource !== addresses.resource) return undefined;
      const iat = Math.floor(grant.createdAt.getTime() / 1000);
      return {
        jti: grant.id,
        kind: 'Grant',
        accountId: grant.accountId,
        clientId: grant.clientId,
        resources: { [grant.resource]: grant.scopes.join(' ') },
        iat,
        exp: iat + FAR_SECONDS,
      };
    },
    async destroy(id) {
      await tokens.revokeGrant(id, 'client');
    },
    findByUid: nothing,
    findByUserCode: nothing,
    consume: nothing,
    revokeByGrantId: nothing,
  };
}

/** Codes and tokens: found under their hash; the value is put back for the library and stored nowhere. */
function tokenAdapter(kind: OAuthTokenKind, { store, tokens, errors }: AdapterParts): Adapter {
  return {
    upsert(value, payload, ttlSeconds) {
      const { jti: _value, clientId, grantId, ...rest } = payload;
      if (clientId === undefined || grantId === undefined) throw new Error('A token needs its client and grant.');
      const scopes = payload.scope?.split(' ') ?? [];
      return store.saveToken({
        kind,
        value,
        grantId,
        clientId,
        scopes,
        payload: rest,
        // A refresh token ends by rotation or revocation, never by time.
        ...(kind !== 'refresh' && { ttlSeconds: ttlSeconds ?? ACCESS_TOKEN_SECONDS }),
      });
    },
    async find(value): Promise<AdapterPayload | undefined> {
      const token = await store.findToken(kind, value);
      if (token === undefined) return undefined;
      const { grantId, clientId, consumedAt, scopes } = token;
      const consumed = consumedAt === undefined ? {} : { consumed: Math.floor(consumedAt.getTime() / 1000) };
      return {
        kind: modelOf(kind),
        scope: scopes.join(' '),
        ...token.payload,
        jti: value,
        grantId,
        clientId,
        ...consumed,
      };
    },
    async consume(value) {
      if (!(await store.consumeToken(kind, value))) throw new errors.InvalidGrant('already used');
    },
    destroy: (value) => store.removeToken(kind, value),
    async revokeByGrantId(grantId) {
      await tokens.revokeGrant(grantId, 'client');
    },
    findByUid: nothing,
    findByUserCode: nothing,
  };
}

/** Sessions and interactions: their ids are the values of cookies, so they too are stored as hashes. */
function recordAdapter(model: string, { store }: AdapterParts): Adapter {
  const strip = ({ jti: _id, ...payload }: AdapterPayload): OAuthPayload => payload;
  return {
    upsert: (id, payload, ttlSeconds) =>
      store.saveRecord({
        model,
        id,
        uid: payload.uid,
        payload: strip(payload),
        ttlSeconds: ttlSeconds ?? INTERACTION_SECONDS,
      }),
    async find(id) {
      const payload = await store.findRecord(model, id);
      return payload && { ...payload, jti: id };
    },
    findByUid: (uid) => store.findRecordByUid(model, uid),
    destroy: (id) => store.removeRecord(model, id),
    findByUserCode: nothing,
    consume: nothing,
    revokeByGrantId: nothing,
  };
}

function modelOf(kind: OAuthTokenKind): string {
  return Object.keys(TOKEN_KINDS).find((model) => TOKEN_KINDS[model] === kind) ?? '';
}
