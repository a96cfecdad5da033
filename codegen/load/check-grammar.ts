import { checkValue } from '../grammar/check-value.ts';
import type { ValueFault } from '../grammar/check-value.ts';
import { GRAMMAR, grammarReference } from '../grammar/index.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { didYouMean } from './did-you-mean.ts';
import type { ContractDocument } from './document.ts';
import { KINDS } from './layout.ts';
import type { ListNode, YamlNode } from './nodes.ts';
import { pointer } from './positions.ts';

/** Faults that a rule of the catalogue names; all others are `grammar`. */
function ruleOf(fault: ValueFault): string {
  const last = fault.path.at(-1);
  if (fault.keyword === 'required') {
    if (/`(?:description|meaning|when|title)`/u.test(fault.message)) return 'desc-required';
    if (/`output`/u.test(fault.message)) return 'out-required';
    if (/`(?:read_only|destructive|idempotent|open_world)`/u.test(fault.message)) return 'hint-explicit';
    if (/`mime_type`/u.test(fault.message)) return 'res-mime';
    if (/`(?:cache|ttl_seconds)`/u.test(fault.message)) return 'res-cache';
    if (/`(?:poll_seconds|retention_days)`/u.test(fault.message)) return 'job-poll';
    if (/`mcp_impact`/u.test(fault.message)) return 'endpoint-needs-mcp-impact';
    if (/`recovery`/u.test(fault.message)) return 'err-declared';
    if (/`idempotency`/u.test(fault.message)) return 'in-idempotency';
  }
  if (last === 'format' && fault.keyword === 'enum') return 'in-format-allowlist';
  if (last === 'type' && fault.keyword === 'enum') return 'schema-type';
  if (last === 'code' || (fault.path.at(-2) === 'errors' && fault.keyword === 'pattern')) return 'err-declared';
  if (last === 'instructions' && fault.keyword === 'maxLength') return 'instructions-length';
  return 'grammar';
}

function sentence(fault: ValueFault): string {
  const last = fault.path.at(-1);
  if (fault.keyword === 'additionalProperties') return `\`${String(last)}\` is not a key of this map.`;
  const subject = last === undefined ? 'The file' : typeof last === 'number' ? `Item ${last + 1}` : `\`${last}\``;
  return `${subject} ${fault.message}.`;
}

function toDiagnostic(document: ContractDocument, fault: ValueFault): Diagnostic {
  const position = document.source.locate(fault.path, fault.key === true ? 'key' : 'value');
  return {
    rule: ruleOf(fault),
    level: 'error',
    message: sentence(fault),
    ...(fault.remedy === undefined ? {} : { remedy: fault.remedy }),
    position,
    entity: `${document.kind} ${document.stem}`,
    pointer: pointer(fault.path),
  };
}

/** A list of numbers is one on purpose; a lone number among words is a word that lost its quotes. */
function strayNumbers(list: ListNode): number[] {
  if (!list.items.some((item) => item.kind === 'scalar' && typeof item.value === 'number')) return [];
  const scalars = [...list.items.entries()].flatMap(([index, item]) =>
    item.kind === 'scalar' ? [{ index, item }] : [],
  );
  if (!scalars.some(({ item }) => typeof item.value === 'string')) return [];
  return scalars
    .filter(({ item }) => typeof item.value === 'number' && item.plain !== undefined)
    .map(({ index }) => index);
}

function numericMembers(document: ContractDocument): Diagnostic[] {
  const found: Diagnostic[] = [];
  const path: (string | number)[] = [];
  const report = (list: ListNode): void => {
    for (const index of strayNumbers(list)) {
      const here = [...path, index];
      const item = list.items[index];
      const written = item?.kind === 'scalar' ? (item.plain ?? '') : '';
      found.push({
        rule: 'in-duplicate-key',
        level: 'error',
        message: `The enum member \`${written}\` reads as a number among words.`,
        remedy: 'Put it in quotes.',
        position: document.source.locate(here),
        entity: `${document.kind} ${document.stem}`,
        pointer: pointer(here),
      });
    }
  };
  const visit = (node: YamlNode): void => {
    if (node.kind === 'scalar') return;
    if (node.kind === 'list') {
      for (const [index, item] of node.items.entries()) {
        if (item.kind === 'scalar') continue;
        path.push(index);
        visit(item);
        path.pop();
      }
      return;
    }
    const inMap = path.at(-1) !== 'properties';
    for (const { key, value } of node.entries) {
      if (value.kind === 'scalar') continue;
      path.push(key);
      if (key === 'enum' && value.kind === 'list' && inMap) report(value);
      visit(value);
      path.pop();
    }
  };
  visit(document.root);
  return found;
}

/** Checks one document against the grammar of its kind. */
export function checkGrammar(document: ContractDocument): Diagnostic[] {
  const { kind } = document.value;
  if (kind !== undefined && kind !== document.kind) {
    const written = typeof kind === 'string' ? kind : JSON.stringify(kind);
    const known = typeof kind === 'string' && (KINDS as readonly string[]).includes(kind);
    const near = known
      ? `Move it to the folder of its kind, or write \`${document.kind}\`.`
      : didYouMean(written, [document.kind]);
    const message = `A file here is of kind \`${document.kind}\`, not \`${written}\`.`;
    const position = document.source.locate(['kind']);
    return [
      {
        rule: 'kind-matches-folder',
        level: 'error',
        message,
        remedy: near ?? `Write \`${document.kind}\`.`,
        position,
        pointer: '/kind',
      },
    ];
  }
  const faults = checkValue(GRAMMAR[document.kind], document.value, { resolve: grammarReference });

  return [...faults.map((fault) => toDiagnostic(document, fault)), ...numericMembers(document)];
}
