import { rulesOf, type Rule } from './rule.ts';

export const ERROR_RULES: readonly Rule[] = rulesOf([
  [
    'error-added',
    'R',
    'WS',
    'Callers that switch on the code meet one they do not know.',
    'Handle the code, or treat unknown codes by `retryable`.',
  ],
  ['error-removed', 'N', 'S', 'The code no longer occurs here.', 'Remove the handling when convenient.'],
  ['error-deleted', 'N', 'S', 'The code left the vocabulary.', 'Remove the handling; the author reserves the name.'],
  ['error-renamed', 'B', 'WS', 'Codes are identifiers.', 'Handle the new code; the author keeps the old one.'],
  ['error-retryable-lost', 'R', 'W', 'Callers stop repeating what used to be repeated.', 'Stop repeating the call.'],
  [
    'error-retryable-gained',
    'B',
    'W',
    'Callers repeat by themselves, and a repeat may act twice.',
    'Make every tool that answers it safe to repeat.',
    'risky when every tool that answers it is idempotent',
  ],
  [
    'error-http-status-changed',
    'R',
    'WC',
    'Clients start signing in or backing off by the status.',
    'Handle the new status.',
  ],
  ['error-class-changed', 'B', 'W', 'The class decides the protocol code.', 'Handle the new protocol code.'],
  ['error-fields-added', 'N', 'W', 'The error tells more.', 'Nothing need change.'],
  ['error-fields-removed', 'B', 'W', 'Callers read the facts beside the code.', 'Stop reading `error.fields`.'],
  ['error-recovery-changed', 'N', 'A', 'Models follow the recovery sentence.', 'Read the new sentence.'],
  ['error-meaning-changed', 'N', 'A', 'Some callers match the words.', 'Match the code, never the words.'],
  [
    'error-implied-added',
    'R',
    'WS',
    'Every tool may now answer it.',
    'Handle the code, or treat unknown codes by `retryable`.',
  ],
]);
