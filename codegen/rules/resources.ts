import { didYouMean } from '../load/did-you-mean.ts';
import type { ContractModel, JsonPath, ResourceSpec } from '../model/types.ts';
import { parseUriTemplate } from '../model/uri-template.ts';
import { mending } from './rule.ts';
import type { Finding, Rule } from './rule.ts';
import { overlaps } from './uris.ts';
import { deref, typesOf } from './walk.ts';

function on(
  resource: ResourceSpec,
  path: JsonPath,
  message: string,
  remedy?: string,
  at: 'key' | 'value' = 'value',
): Finding {
  return {
    source: resource.source,
    path,
    at,
    entity: `resource ${resource.name}`,
    message,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

function* addressFaults(model: ContractModel, resource: ResourceSpec): Generator<Finding> {
  const { uri, uriTemplate } = resource;
  if ((uri === undefined) === (uriTemplate === undefined)) {
    yield on(
      resource,
      [uri === undefined ? 'name' : 'uri'],
      'A resource has either `uri` or `uri_template`.',
      'Keep one of them.',
    );
    return;
  }
  const key = uri === undefined ? 'uri_template' : 'uri';
  const address = uri ?? uriTemplate ?? '';
  const scheme = `${model.server.uriScheme}://`;
  if (!address.startsWith(scheme)) {
    yield on(resource, [key], `The address does not begin with \`${scheme}\`.`, 'Use the scheme of the server.');
    return;
  }
  const rest = address.slice(scheme.length);
  if (uri !== undefined && /[?#{}]/u.test(rest))
    yield on(
      resource,
      [key],
      'A fixed address has no query, fragment or variable.',
      'Use `uri_template`, or declare `query`.',
    );
  if (/\/\/|\/$|^\/|(?:^|\/)\.{1,2}(?:\/|$)/u.test(rest) || rest === '')
    yield on(resource, [key], 'The address is not in its normal form.', 'Remove empty and dot segments.');
  if (/[^A-Za-z0-9/{}?#_.~-]/u.test(rest) || /[A-Z]/u.test(rest))
    yield on(
      resource,
      [key],
      'The fixed parts of an address are lower case letters, digits, `-`, `_`, `.` and `~`.',
      'Rename them.',
    );
}

const uris: Rule = {
  id: 'res-uri',
  level: 'error',
  sentence: "Every resource has one address: of the server's scheme, in normal form, its own.",
  *check(model) {
    const seen = new Map<string, string>();
    for (const resource of model.resources) {
      yield* addressFaults(model, resource);
      const address = resource.uri ?? resource.uriTemplate ?? '';
      const other = seen.get(address);
      if (other !== undefined)
        yield on(
          resource,
          [resource.uri === undefined ? 'uri_template' : 'uri'],
          `\`${other}\` has the same address.`,
          'Give each its own.',
        );
      seen.set(address, resource.name);
    }
  },
};

const mime: Rule = {
  id: 'res-mime',
  level: 'error',
  sentence: 'The media type is well formed and fits the content.',
  *check({ resources }) {
    for (const resource of resources) {
      const { mimeType, payload, text } = resource;
      if (!/^[a-z]+\/[a-z0-9.+-]+(?:; ?charset=utf-8)?$/u.test(mimeType))
        yield on(resource, ['mime_type'], `\`${mimeType}\` is not a media type.`, 'Write type/subtype in lower case.');
      else if (payload !== undefined && !/^application\/(?:[a-z0-9.-]+\+)?json$/u.test(mimeType))
        yield on(resource, ['mime_type'], `A payload is JSON, not \`${mimeType}\`.`, 'Write application/json.');
      else if (text !== undefined && !mimeType.startsWith('text/'))
        yield on(resource, ['mime_type'], `A fixed text is not \`${mimeType}\`.`, 'Write text/markdown or text/plain.');
    }
  },
};

const schemas: Rule = {
  id: 'res-schema',
  level: 'error',
  sentence: 'A resource has either a payload schema or a fixed text.',
  *check({ resources }) {
    for (const resource of resources) {
      if ((resource.payload === undefined) !== (resource.text === undefined)) continue;
      yield on(
        resource,
        [resource.text === undefined ? 'name' : 'text'],
        'A resource has either `payload` or `text`.',
        'Keep one of them.',
      );
    }
  },
};

const cache: Rule = {
  id: 'res-cache',
  level: 'error',
  fixes: 'always',
  sentence: 'What belongs to a project or an account is cached privately.',
  *check({ resources }) {
    for (const resource of resources) {
      if (resource.context === 'none' || resource.cache.scope === 'private') continue;
      const path = ['cache', 'scope'];
      yield mending(
        on(resource, path, 'An answer of one account would be shared with others.', 'Write private.'),
        'Write `scope: private`',
        { do: 'set', path, value: 'private' },
      );
    }
  },
};

const parse: Rule = {
  id: 'tmpl-parse',
  level: 'error',
  sentence: 'Templates have simple variables that fill whole path segments.',
  *check({ resources }) {
    for (const resource of resources) {
      if (resource.uriTemplate === undefined) continue;
      const { variables, fault } = parseUriTemplate(resource.uriTemplate);
      if (fault !== undefined)
        yield on(resource, ['uri_template'], `The template cannot be used: ${fault}.`, 'Write {name} between slashes.');
      else if (variables.length === 0)
        yield on(resource, ['uri_template'], 'The template has no variable.', 'Use `uri`.');
      else if (/[^/]\{|\}[^/]/u.test(resource.uriTemplate))
        yield on(resource, ['uri_template'], 'A variable fills a whole path segment.', 'Put slashes around it.');
    }
  },
};

const variables: Rule = {
  id: 'tmpl-vars',
  level: 'error',
  sentence: 'Variables and their schemas match one to one, and their values are text that is never empty.',
  *check(model) {
    for (const resource of model.resources) {
      const { variables: names } = parseUriTemplate(resource.uriTemplate ?? '');
      const declared = resource.variables.map(({ name }) => name);
      for (const name of names) {
        if (!declared.includes(name))
          yield on(
            resource,
            ['uri_template'],
            `The variable \`${name}\` has no schema.`,
            didYouMean(name, declared) ?? 'Declare it under `variables`.',
          );
      }
      for (const { name, schema } of resource.variables) {
        const { minLength, enum: listed, format, const: only, pattern } = deref(model, schema);
        if (!names.includes(name))
          yield on(
            resource,
            ['variables', name],
            `\`${name}\` is not a variable of the address.`,
            didYouMean(name, names),
            'key',
          );
        if (typesOf(deref(model, schema)).join() !== 'string')
          yield on(
            resource,
            ['variables', name],
            `\`${name}\` stands in an address and is not text.`,
            'Write `type: string`.',
            'key',
          );
        else if (
          minLength === undefined &&
          listed === undefined &&
          format === undefined &&
          only === undefined &&
          pattern === undefined
        ) {
          yield on(
            resource,
            ['variables', name],
            `\`${name}\` may be empty, which leaves a hole in the address.`,
            'Add `minLength: 1`.',
            'key',
          );
        }
      }
    }
  },
};

const overlap: Rule = {
  id: 'tmpl-overlap',
  level: 'error',
  sentence: 'No address belongs to two resources.',
  *check(model) {
    for (const [index, left] of model.resources.entries()) {
      for (const right of model.resources.slice(index + 1)) {
        if (left.uriTemplate === undefined && right.uriTemplate === undefined) continue;
        const later = right.uriTemplate === undefined ? left : right;
        const other = later === right ? left : right;
        if (left.uriTemplate === right.uriTemplate || !overlaps(model, left, right)) continue;
        yield on(
          later,
          ['uri_template'],
          `Some addresses also belong to \`${other.name}\`.`,
          'Give it a fixed segment of its own.',
        );
      }
    }
  },
};

const shown: Rule = {
  id: 'tmpl-example-present',
  level: 'warning',
  sentence: 'A template shows one address.',
  *check({ resources }) {
    for (const resource of resources) {
      if (resource.uriTemplate !== undefined && resource.examples.length === 0)
        yield on(resource, ['uri_template'], 'The template has no example.', 'Add one under `examples`.');
    }
  },
};

const completion: Rule = {
  id: 'tmpl-completion',
  level: 'info',
  sentence: 'A variable with listed values offers completion.',
  *check(model) {
    for (const resource of model.resources) {
      for (const { name, schema, completion: offered } of resource.variables) {
        if (offered !== undefined || deref(model, schema)['enum'] === undefined) continue;
        yield on(
          resource,
          ['variables', name],
          `\`${name}\` has listed values and does not complete.`,
          'Add `completion`.',
          'key',
        );
      }
    }
  },
};

export const resourceRules: readonly Rule[] = [
  uris,
  mime,
  schemas,
  cache,
  parse,
  variables,
  overlap,
  shown,
  completion,
];
