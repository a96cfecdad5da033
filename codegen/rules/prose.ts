import type { ContractModel } from '../model/types.ts';
import { onTool } from './outputs.ts';
import { mending } from './rule.ts';
import type { Finding, Rule } from './rule.ts';
import { differentTexts } from './texts.ts';
import type { Prose } from './texts.ts';
import { deref, finding, label, visits } from './walk.ts';

export function inProse({ entity, source, path }: Prose, message: string, remedy?: string): Finding {
  return { entity, source, path, message, ...(remedy === undefined ? {} : { remedy }) };
}

const describedRoles: ReadonlySet<string> = new Set([
  'input',
  'output',
  'shared',
  'variable',
  'payload',
  'request',
  'response',
]);

const describedAll: Rule = {
  id: 'desc-required',
  level: 'error',
  sentence: 'Every argument, member of a result and template variable is described.',
  *check(model) {
    for (const visit of visits(model)) {
      const { root, keyword, schema } = visit;
      if (!describedRoles.has(root.role)) continue;
      if (keyword !== 'properties' && !(root.role === 'variable' && keyword === undefined)) continue;
      const named =
        typeof schema['$ref'] === 'string'
          ? (deref(model, schema)['description'] ?? describesShape(model, schema['$ref']))
          : undefined;
      if (schema['description'] === undefined && named === undefined)
        yield finding(visit, `${label(visit)} has no description.`, 'Say what it means.');
    }
  },
};

function describesShape(model: ContractModel, ref: string): string | undefined {
  return model.models.find(({ typeName }) => ref === `#/$defs/${typeName}`)?.description;
}

const TOOL_TEXT = { least: 20, good: 40, most: 1024 };
const ARGUMENT_TEXT = { least: 10, most: 300 };

const budget: Rule = {
  id: 'desc-budget',
  level: 'error',
  sentence: `The description of a tool has ${TOOL_TEXT.least} to ${TOOL_TEXT.most} characters, of an argument at most ${ARGUMENT_TEXT.most}.`,
  *check(model) {
    for (const tool of model.tools) {
      const { length } = tool.description;
      if (length > TOOL_TEXT.most)
        yield onTool(
          tool,
          ['description'],
          `The description has ${length} characters; several clients take ${TOOL_TEXT.most}.`,
          'Shorten it.',
          'value',
        );
      if (length < TOOL_TEXT.least)
        yield onTool(
          tool,
          ['description'],
          'The description says too little to choose the tool by.',
          'State the goal, the limit and the next step.',
          'value',
        );
    }
    for (const visit of visits(model)) {
      const { description } = visit.schema;
      if (typeof description !== 'string' || description.length <= ARGUMENT_TEXT.most || visit.keyword !== 'properties')
        continue;
      yield finding(
        visit,
        `The description of ${label(visit)} has ${description.length} characters, at most ${ARGUMENT_TEXT.most} are read.`,
        'Shorten it.',
        ['description'],
      );
    }
  },
};

const length: Rule = {
  id: 'desc-length',
  level: 'warning',
  sentence: `Descriptions are long enough to choose by: ${TOOL_TEXT.good} characters for a tool, ${ARGUMENT_TEXT.least} for an argument.`,
  *check(model) {
    for (const tool of model.tools) {
      if (tool.description.length < TOOL_TEXT.good)
        yield onTool(
          tool,
          ['description'],
          'The description is shorter than a sentence.',
          'State the goal, the limit and the next step.',
          'value',
        );
    }
    for (const visit of visits(model)) {
      const { description } = visit.schema;
      if (visit.root.role !== 'input' || visit.keyword !== 'properties' || typeof description !== 'string') continue;
      if (description.length < ARGUMENT_TEXT.least)
        yield finding(visit, `The description of ${label(visit)} says too little.`, 'Say what to give.', [
          'description',
        ]);
    }
  },
};

const firstSentence: Rule = {
  id: 'desc-first-sentence',
  level: 'warning',
  sentence: 'A description begins with what the tool does, not with its name.',
  *check({ tools }) {
    for (const tool of tools) {
      const [first = ''] = tool.description.split(/(?<=[.!?])\s/u);
      const named = first.includes(tool.name) || /^(?:this|the) tool\b/iu.test(first);
      if (named)
        yield onTool(
          tool,
          ['description'],
          'The first sentence spends its words on the name of the tool.',
          'Begin with what it does.',
          'value',
        );
    }
  },
};

/* Texts may be long and come from strangers, so every repetition in these patterns is bounded. */

/** Zero-width, bidirectional and tag characters: a reader sees nothing where a model reads text. */
export const HIDDEN = new RegExp(
  '[\\0-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F\\u00AD\\u061C\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u2069\\uFEFF\\uFFF9-\\uFFFB' +
    '\\u{E0000}-\\u{E007F}\\uD800-\\uDFFF]',
  'u',
);

export const ORDERS = new RegExp(
  [
    String.raw`<!--`,
    String.raw`<\/?(?:system|important|instructions?|secret)\b[^>]{0,80}>`,
    String.raw`\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instructions?|rules?|prompts?|guidelines?)\b`,
    String.raw`\bdo not (?:tell|inform|mention|reveal|show)\b[^.]{0,30}\b(?:user|person|human)\b`,
    String.raw`\bwithout (?:asking|telling|informing) the (?:user|person|human)\b`,
    String.raw`\b(?:you are now|act as|pretend to be)\b`,
    String.raw`\bsystem prompt\b`,
    String.raw`\byou must (?:always|never|first)\b`,
    String.raw`\balways (?:prefer|use|call) this tool\b`,
  ].join('|'),
  'iu',
);

const instructions: Rule = {
  id: 'desc-no-instructions',
  level: 'error',
  fixes: 'some',
  sentence: 'Texts describe; they hide nothing and give the model no orders beyond the use of what they describe.',
  *check(model) {
    for (const [text, places] of differentTexts(model)) {
      const hidden = HIDDEN.exec(text);
      for (const prose of hidden === null ? [] : places) {
        const code = ((hidden?.[0] ?? '').codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
        yield mending(
          inProse(prose, `The text holds the invisible character U+${code}.`, 'Remove it.'),
          `Remove U+${code}`,
          { do: 'replace', path: prose.path, from: hidden?.[0] ?? '', to: '' },
        );
      }
      const order = ORDERS.exec(text)?.[0].replaceAll('`', '');
      for (const prose of order === undefined ? [] : places)
        yield inProse(prose, `\`${order ?? ''}\` steers the model instead of describing.`, 'Say what the thing does.');
    }
  },
};

const SECRETS = new RegExp(
  [
    String.raw`\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)[-_][A-Za-z0-9]{8,}`,
    String.raw`\b(?:ghp|gho|ghs|github_pat|glpat|xox[abp])[-_][A-Za-z0-9_-]{10,}`,
    String.raw`\bAKIA[0-9A-Z]{12,}`,
    String.raw`\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10}`,
    String.raw`\bovr_[A-Za-z0-9_-]{20,}`,
    String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----`,
    String.raw`\b(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})\b`,
  ].join('|'),
  'u',
);
const INTERNAL_HOST = /\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.(?:internal|corp|intranet)\b/iu;

/** Standards and products whose names look like a ticket number. */
const NOT_TICKETS = /^(?:AES|CSS|GPT|HTTP|IEEE|ISO|MD|P|RFC|RS|ES|HS|SHA|TLS|UTC|UTF|UUID|WCAG)-?\d/u;

const noSecrets: Rule = {
  id: 'desc-no-secrets',
  level: 'error',
  sentence: 'Texts hold no keys, no internal hosts and no ticket numbers.',
  *check(model) {
    for (const [text, places] of differentTexts(model)) {
      const secret = (SECRETS.exec(text) ?? INTERNAL_HOST.exec(text))?.[0].slice(0, 12);
      for (const prose of secret === undefined ? [] : places)
        yield inProse(prose, `\`${secret ?? ''}…\` looks like a key or an internal host.`, 'Remove it.');
      for (const [ticket] of text.matchAll(/\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b/gu)) {
        if (NOT_TICKETS.test(ticket)) continue;
        for (const prose of places)
          yield inProse(prose, `\`${ticket}\` looks like a ticket number.`, 'Say it in words.');
      }
    }
  },
};

const keyWording: Rule = {
  id: 'desc-idempotency-wording',
  level: 'error',
  sentence: 'A key is the same for every retry of one action; no text asks for a new one per request.',
  *check(model) {
    for (const [text, places] of differentTexts(model)) {
      if (!/\bkey\b/iu.test(text)) continue;
      if (
        !/\b(?:unique|new|fresh|different)\b[^.]{0,30}\b(?:per|for each|for every|on each|on every|with each|with every) (?:request|call|attempt|retry)\b/iu.test(
          text,
        )
      )
        continue;
      for (const prose of places)
        yield inProse(
          prose,
          'The text asks for a new key per request, which makes every retry act again.',
          'Say: the same value when retrying the same action.',
        );
    }
  },
};

const duplicate: Rule = {
  id: 'desc-duplicate',
  level: 'warning',
  sentence: 'No two tools have the same description.',
  *check({ tools }) {
    const seen = new Map<string, string>();
    for (const tool of tools) {
      const key = tool.description.toLowerCase().replace(/\s+/gu, ' ');
      const other = seen.get(key);
      if (other !== undefined)
        yield onTool(
          tool,
          ['description'],
          `\`${other}\` has the same description.`,
          'Say what sets the two apart.',
          'value',
        );
      seen.set(key, tool.name);
    }
  },
};

export const proseRules: readonly Rule[] = [
  describedAll,
  budget,
  length,
  firstSentence,
  instructions,
  noSecrets,
  keyWording,
  duplicate,
];
