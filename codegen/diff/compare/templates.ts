/** URI templates as RFC 6570 has them: literal text and expressions with an operator and variables. */
export interface Expression {
  readonly operator: string;
  readonly names: readonly string[];
}

export type TemplatePart = string | Expression;

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/gu;

export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of template.matchAll(EXPRESSION)) {
    if (match.index > end) parts.push(template.slice(end, match.index));
    const names = (match[2] ?? '').split(',').map((name) => name.replace(/(?:\*|:\d+)$/u, ''));
    parts.push({ operator: match[1] ?? '', names });
    end = match.index + match[0].length;
  }
  if (end < template.length) parts.push(template.slice(end));
  return parts;
}

export function pathNames(parts: readonly TemplatePart[]): string[] {
  return parts.flatMap((part) => (typeof part === 'string' || isQuery(part) ? [] : part.names));
}

export function operators(parts: readonly TemplatePart[]): string {
  return parts.flatMap((part) => (typeof part === 'string' || isQuery(part) ? [] : [part.operator || '.'])).join('');
}

export function literals(parts: readonly TemplatePart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : '{}')).join('');
}

function isQuery({ operator }: Expression): boolean {
  return operator === '?' || operator === '&';
}

const UNRESERVED = '[A-Za-z0-9\\-._~%]';
const ANY = "[A-Za-z0-9\\-._~%:/?#\\[\\]@!$&'()*+,;=]";

/** What addresses the template answers. */
export function pattern(template: string): RegExp {
  const source = parseTemplate(template).map((part) => {
    if (typeof part === 'string') return part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
    const { operator, names } = part;
    if (isQuery(part)) return `(?:[?&]${ANY}*)?`;
    const letters = operator === '+' || operator === '#' ? ANY : UNRESERVED;
    const separator = operator === '' || operator === '+' || operator === '#' ? ',' : operator;
    const lead = operator === '' || operator === '+' ? '' : operator.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
    const inner = operator === ';' ? `[a-z0-9_]+=${letters}*` : `${letters}+`;
    return names.map((_, at) => `${at === 0 ? lead : separator === '.' ? '\\.' : separator}${inner}`).join('');
  });
  return new RegExp(`^${source.join('')}(?:\\?.*)?$`, 'u');
}

const SAMPLES: readonly ((at: number, operator: string) => string)[] = [
  (at) => `x${at}`,
  // Reserved letters go through these two operators as they are.
  (at, operator) => (operator === '+' || operator === '#' ? `a/b${at}` : `ab${at}`),
  (at) => `a-b.c_${at}`,
  (at) => `%20${at}`,
  (at) => String(at),
];

/** Addresses that a client makes of the template, the plain ones first. */
function expansions(template: string): string[] {
  const parts = parseTemplate(template);
  return SAMPLES.map((sample) => {
    let at = 0;
    return parts
      .map((part) => {
        if (typeof part === 'string') return part;
        const values = part.names.map((name) => ({ name, value: sample((at += 1), part.operator) }));
        return expand(part.operator, values);
      })
      .join('');
  });
}

function expand(operator: string, values: readonly { readonly name: string; readonly value: string }[]): string {
  const plain = values.map(({ value }) => value);
  const named = values.map(({ name, value }) => `${name}=${value}`);
  switch (operator) {
    case '?':
      return `?${named.join('&')}`;
    case '&':
      return `&${named.join('&')}`;
    case ';':
      return `;${named.join(';')}`;
    case '/':
      return `/${plain.join('/')}`;
    case '.':
      return `.${plain.join('.')}`;
    case '#':
      return `#${plain.join(',')}`;
    default:
      return plain.join(',');
  }
}

/** An address the old template makes and the new one does not answer. */
export function lostAddress(before: string, after: string): string | undefined {
  const answers = pattern(after);
  return expansions(before).find((address) => !answers.test(address));
}

/** An address both templates answer. */
export function sharedAddress(a: string, b: string): string | undefined {
  const [one, other] = [pattern(a), pattern(b)];
  return expansions(a).find((address) => other.test(address)) ?? expansions(b).find((address) => one.test(address));
}
