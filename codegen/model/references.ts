import { isObject } from '../grammar/value-kinds.ts';
import type { ContractDocument } from '../load/document.ts';
import { didYouMean } from '../load/did-you-mean.ts';
import { pointer } from '../load/positions.ts';
import { normalise, normaliseObject } from './normalise.ts';
import type { ResolveReference } from './normalise.ts';
import { pascalCase } from './names.ts';
import type { NameTable } from './names.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { DefinitionSpec, JsonPath, JsonSchema, JsonValue } from './types.ts';

/**
 * Resolves the references of every body of the tree. Only two forms exist and neither leads to a file or an address:
 * `model:<name>` looks into the table of models, `#/$defs/<Name>` into the body it stands in.
 */
export class References {
  readonly definitions: DefinitionSpec[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly #models: ReadonlyMap<string, string>;
  readonly #names: NameTable;

  /** `models` maps each model's name to its type name. */
  constructor(models: ReadonlyMap<string, string>, names: NameTable) {
    this.#models = models;
    this.#names = names;
  }

  /** Normalises the body at `path` of a document; `owner` is the type name its definitions are lifted under. */
  body(
    document: ContractDocument,
    path: JsonPath,
    schema: JsonValue,
    owner: string,
    root: 'object' | 'any',
  ): JsonSchema {
    const locals = isObject(schema) && isObject(schema['$defs']) ? schema['$defs'] : {};
    const resolve = this.#resolver(document, owner, locals);
    for (const [name, definition] of Object.entries(locals)) {
      const typeName = owner + pascalCase(name);
      const here = [...path, '$defs', name];
      this.#names.claim(
        typeName,
        `definition ${name} of ${document.kind} ${document.stem} at ${pointer(here)}`,
        document.source.locate(here, 'key'),
      );
      this.definitions.push({
        kind: 'definition',
        name,
        typeName,
        owner,
        schema: normalise(definition, here, resolve),
        source: document.source,
        path: here,
      });
    }
    return root === 'object' ? normaliseObject(schema, path, resolve) : normalise(schema, path, resolve);
  }

  #resolver(
    document: ContractDocument,
    owner: string,
    locals: { readonly [name: string]: JsonValue },
  ): ResolveReference {
    return (ref, path) => {
      if (ref.startsWith('model:')) {
        const name = ref.slice('model:'.length);
        const typeName = this.#models.get(name);
        if (typeName !== undefined) return typeName;
        this.#unknown(document, path, `There is no model \`${name}\`.`, didYouMean(name, this.#models.keys()));
        return pascalCase(name);
      }
      const name = ref.replace(/^#\/\$defs\//u, '');
      if (!Object.hasOwn(locals, name)) {
        this.#unknown(document, path, `This body defines no \`${name}\`.`, didYouMean(name, Object.keys(locals)));
      }
      return owner + pascalCase(name);
    };
  }

  #unknown(document: ContractDocument, path: JsonPath, message: string, remedy: string | undefined): void {
    this.diagnostics.push({
      rule: 'ref-unknown',
      level: 'error',
      message,
      ...(remedy === undefined ? {} : { remedy }),
      position: document.source.locate(path),
      entity: `${document.kind} ${document.stem}`,
      pointer: pointer(path),
    });
  }
}
