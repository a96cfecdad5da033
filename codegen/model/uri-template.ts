/** URI templates as this grammar has them: level 1 of RFC 6570, simple variables inside path segments. */
export interface UriTemplate {
  readonly variables: readonly string[];
  /** What is wrong with the template, in words. */
  readonly fault?: string;
}

const EXPRESSION = /\{([^{}]*)\}/gu;

export function parseUriTemplate(template: string): UriTemplate {
  const variables: string[] = [];
  for (const [, inside = ''] of template.matchAll(EXPRESSION)) {
    if (!/^[a-z][a-z0-9_]*$/u.test(inside)) {
      return { variables, fault: `\`{${inside}}\` is not a simple variable` };
    }
    if (variables.includes(inside)) return { variables, fault: `\`{${inside}}\` stands twice` };
    variables.push(inside);
  }
  const rest = template.replace(EXPRESSION, 'x');
  if (/[{}]/u.test(rest)) return { variables, fault: 'its braces do not pair' };
  if (/[?#]/u.test(rest))
    return { variables, fault: 'a query or fragment is declared under `query`, not in the template' };
  return { variables };
}
