import type { ContractModel, ResourceSpec } from '../model/types.ts';
import { isList } from '../grammar/value-kinds.ts';
import { deref } from './walk.ts';

/** One path segment of an address: fixed text, or a variable with the values it may have when they are listed. */
type Segment = { readonly text: string } | { readonly variable: string; readonly values?: readonly string[] };

function segmentsOf(model: ContractModel, resource: ResourceSpec): Segment[] {
  const address = resource.uri ?? resource.uriTemplate ?? '';
  return address.split('/').map((part) => {
    const name = /^\{([a-z0-9_]+)\}$/u.exec(part)?.[1];
    if (name === undefined) return { text: part };
    const listed = deref(model, resource.variables.find((one) => one.name === name)?.schema)['enum'];
    if (!isList(listed)) return { variable: name };
    return { variable: name, values: listed.filter((one) => typeof one === 'string') };
  });
}

function mayMatch(left: Segment, right: Segment): boolean {
  if ('text' in left) {
    if ('text' in right) return left.text === right.text;
    return left.text !== '' && (right.values === undefined || right.values.includes(left.text));
  }
  if ('text' in right) return mayMatch(right, left);
  if (left.values === undefined || right.values === undefined) return true;
  return left.values.some((value) => right.values?.includes(value));
}

/** Whether some address belongs to both resources. */
export function overlaps(model: ContractModel, left: ResourceSpec, right: ResourceSpec): boolean {
  const [a, b] = [segmentsOf(model, left), segmentsOf(model, right)];
  return a.length === b.length && a.every((segment, index) => mayMatch(segment, b[index] ?? { text: '' }));
}

const matchers = new WeakMap<ContractModel, (uri: string) => boolean>();

/** Whether a written address, which may show `{name}` or `<name>` or `…` for a value, is one of a resource. */
export function resourceMatcher(model: ContractModel): (uri: string) => boolean {
  let match = matchers.get(model);
  if (match === undefined) {
    const known = model.resources.map((one) => segmentsOf(model, one));
    match = (uri) => {
      const written = uri
        .replace(/[?{]\??project_id\}?.*$/u, '')
        .replace(/\?.*$/u, '')
        .split('/');
      return known.some(
        (segments) =>
          segments.length === written.length &&
          segments.every((segment, index) => {
            const part = written[index] ?? '';
            if ('text' in segment) return segment.text === part;
            return (
              /^(?:\{[a-z_]+\}|<[a-z_ ]+>|…|\.\.\.)$/u.test(part) ||
              (part !== '' && segment.values?.includes(part) !== false)
            );
          }),
      );
    };
    matchers.set(model, match);
  }
  return match;
}
