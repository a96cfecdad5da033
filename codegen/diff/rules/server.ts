import { rulesOf, type Rule } from './rule.ts';

export const SERVER_RULES: readonly Rule[] = rulesOf([
  [
    'protocol-revision-dropped',
    'B',
    'W',
    'Clients of that revision cannot connect.',
    'Use a client that speaks a served revision.',
  ],
  ['protocol-revision-added', 'N', 'W', 'More clients can connect.', 'Nothing need change.'],
  ['capability-dropped', 'B', 'W', 'Clients were built on it.', 'Stop using the capability.'],
  ['capability-added', 'N', 'W', 'Clients may use it.', 'Nothing need change.'],
  ['extension-dropped', 'B', 'W', 'Clients were built on it.', 'Stop using the extension.'],
  ['extension-added', 'N', 'W', 'Clients may use it.', 'Nothing need change.'],
  [
    'server-name-changed',
    'R',
    'CP',
    'Hosts prefix tools with it and key allow-lists on it.',
    'Correct allow-lists and prefixes.',
  ],
  ['server-title-changed', 'N', 'A', 'People know the server by it.', 'Nothing need change.'],
  ['instructions-changed', 'N', 'A', 'Models act on them.', 'Read the new instructions.'],
  [
    'instructions-lost-guidance',
    'R',
    'AP',
    'A rule of use is gone.',
    'Put the sentence back, or approve that it goes.',
  ],
  ['uri-scheme-changed', 'B', 'W', 'Every stored address stops answering.', 'Use the new scheme.'],
  [
    'server-view-lost',
    'B',
    'WP',
    'A kind of credential or a revision is no longer served.',
    'Use another credential or revision.',
  ],
]);

export const ENDPOINT_RULES: readonly Rule[] = rulesOf([
  ['endpoint-removed', 'B', 'W', 'Programs call it by method and path.', 'Call what replaces it.'],
  ['endpoint-added', 'N', 'W', 'There is one more.', 'Nothing need change.'],
  ['endpoint-address-changed', 'B', 'W', 'Programs call it by method and path.', 'Call the new address.'],
  ['endpoint-body-limit-lowered', 'B', 'W', 'Bodies that were accepted are refused.', 'Send smaller bodies.'],
  ['endpoint-content-type-removed', 'B', 'W', 'Bodies of that type are refused.', 'Send a type that is accepted.'],
  ['endpoint-status-changed', 'R', 'WC', 'Programs check the status.', 'Check the new status.'],
  ['endpoint-request-schema-added', 'B', 'W', 'Bodies were free and now have a shape.', 'Send the shape.'],
  [
    'endpoint-response-schema-removed',
    'B',
    'W',
    'The shape of the answer is no longer promised.',
    'Stop relying on its members.',
  ],
  ['endpoint-prose-changed', 'N', 'A', 'People read it.', 'Read the new text.'],
]);

/** What only those feel who compile against the generated code. */
export const SOURCE_RULES: readonly Rule[] = rulesOf([
  ['source-type-renamed', 'B', 'S', 'Typed code imports the old name.', 'Import the new name.'],
  ['source-type-removed', 'B', 'S', 'Typed code imports it.', 'Import what replaces it.'],
  [
    'source-adapter-signature-changed',
    'B',
    'S',
    'The handler is given another context.',
    'Move the handler to the new context.',
  ],
  ['source-adapter-orphaned', 'B', 'S', 'A handler is left without a contract.', 'Remove the handler.'],
  ['source-error-class-removed', 'B', 'S', 'Typed code names the code.', 'Remove the name.'],
  ['source-brand-changed', 'B', 'S', 'The identifier has another type.', 'Convert at the border.'],
]);
