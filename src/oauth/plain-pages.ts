import type { ConsentProblem, ConsentView } from './consent-port.ts';

/** Pages without a Console: plain HTML that needs neither style nor script and works with keyboard and screen reader. */
export function consentPage(view: ConsentView): string {
  const scopes = view.scopes.map(
    ({ name, title, meaning }) =>
      `<li><strong>${escape(title)}</strong>: ${escape(meaning)} <code>${escape(name)}</code></li>`,
  );
  return page(
    `Connect ${view.clientName}?`,
    `<p>Signed in as <strong>${escape(view.accountEmail)}</strong>.</p>
<p><strong>${escape(view.clientName)}</strong> asks for access to your account. ${escape(view.trustWords)}</p>
<h2>What it may do</h2>
<ul>${scopes.join('')}</ul>
${view.costWarning === undefined ? '' : `<p><strong>Cost:</strong> ${escape(view.costWarning)}</p>`}
<p>${escape(view.reachWords)}</p>
<p>You return to <strong>${escape(view.redirectHost)}</strong> (<code>${escape(view.redirectUri)}</code>).</p>
<form method="post" action="${escape(view.form.action)}">
<input type="hidden" name="csrf" value="${escape(view.form.csrf)}">
<button name="decision" value="${view.form.cancel}">Cancel</button>
<button name="decision" value="${view.form.connect}">Connect</button>
</form>`,
  );
}

export function signInPage(form: {
  readonly action: string;
  readonly csrf: string;
  readonly complaint?: string;
}): string {
  return page(
    'Sign in',
    `${form.complaint === undefined ? '' : `<p role="alert">${escape(form.complaint)}</p>`}
<p>Sign in to decide about the connection.</p>
<form method="post" action="${escape(form.action)}">
<input type="hidden" name="csrf" value="${escape(form.csrf)}">
<p><label>E-mail <input name="email" type="email" autocomplete="username" required maxlength="254"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="256"></label></p>
<button>Sign in</button>
</form>`,
  );
}

export function problemPage({ title, message }: ConsentProblem): string {
  return page(title, `<p role="alert">${escape(message)}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} – Overmind</title>
</head>
<body>
<main>
<h1>${escape(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
