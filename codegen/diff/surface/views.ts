import type { Surface, ViewSurface } from './types.ts';

type Parts = Omit<Surface, 'views'>;

/** Kinds of credential: which project arguments they see, and which permissions they carry. */
const GRANTS = [
  { grant: 'account/read', input: 'account', write: false },
  { grant: 'account/read_write', input: 'account', write: true },
  { grant: 'project/read', input: 'project', write: false },
  { grant: 'project/read_write', input: 'project', write: true },
] as const;

/** Names shown to each kind of credential in each protocol revision. */
export function viewsOf(surface: Parts): ViewSurface[] {
  return GRANTS.flatMap(({ grant, input, write }) => {
    const may = (scopes: readonly string[] | undefined): boolean => write || !needsWrite(scopes, surface);
    const names = <T>(list: Readonly<Record<string, T>>, shown: (one: T) => boolean): string[] =>
      Object.entries(list)
        .filter(([, one]) => shown(one))
        .map(([name]) => name);
    const lists = {
      tools: names(surface.tools, (one) => write || one.hints.readOnlyHint === true),
      resources: names(surface.resources, (one) => one.uri !== undefined && may(one.scopes)),
      templates: names(surface.resources, (one) => one.uri === undefined && may(one.scopes)),
      prompts: names(surface.prompts, (one) => may(one.scopes)),
    };
    return surface.server.revisions.map((revision) => ({ grant, revision, input, ...lists }));
  });
}

function needsWrite(scopes: readonly string[] | undefined, { scopes: vocabulary }: Parts): boolean {
  return (scopes ?? []).some((name) => vocabulary[name]?.permission === 'write');
}

export function viewName({ grant, revision }: Pick<ViewSurface, 'grant' | 'revision'>): string {
  return `${grant} · ${revision}`;
}
