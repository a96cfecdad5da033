import { rulesOf, type Rule } from './rule.ts';

/** Hints are compared on their order of safety, with the defaults of the protocol for those that are absent. */
export const BEHAVIOUR_RULES: readonly Rule[] = rulesOf([
  ['hint-read-only-lost', 'B', 'P', 'Calls that hosts approve by themselves now write.', 'Ask people again before calling it.'],
  ['hint-read-only-gained', 'N', 'P', 'A safety claim: hosts will stop asking.', 'Check that nothing behind it writes.'],
  ['hint-destructive-gained', 'B', 'P', 'People consented to less.', 'Ask people again before calling it.'],
  ['hint-destructive-lost', 'R', 'P', 'A safety claim: hosts will ask less.', 'A reviewer confirms that nothing is destroyed.'],
  ['hint-idempotent-lost', 'B', 'WP', 'Hosts repeat calls that they believe harmless.', 'Stop repeating the call by yourself.'],
  ['hint-idempotent-gained', 'N', 'P', 'Hosts will repeat the call.', 'Declare how repeats are recognised.'],
  ['hint-open-world-gained', 'R', 'P', 'Data may leave the boundary people agreed to.', 'Review what is sent out.'],
  ['hint-open-world-lost', 'N', 'P', 'A claim that nothing leaves.', 'Check that nothing outside is reached.'],
  ['hint-omitted', 'N', 'P', 'Hosts fall back to the default of the protocol.', 'State the hint.'],
  ['async-mode-changed', 'B', 'W', 'The result has another shape and the caller waits in another way.', 'Read the receipt and poll, or stop polling.'],
  ['job-link-changed', 'B', 'W', 'The receipt names another kind of work.', 'Poll the new kind.'],
  ['task-support-required', 'B', 'WC', 'Clients without tasks can no longer call it.', 'Call it as a task.'],
  ['task-support-changed', 'R', 'WC', 'Clients that relied on the mode must change.', 'Read the new mode.'],
  ['task-support-offered', 'N', 'C', 'Clients may call it as a task.', 'Nothing need change.'],
  ['cost-class-raised', 'R', 'P', 'Budgets and consent were given for less.', 'Ask people again before spending.'],
  ['cost-class-lowered', 'N', 'P', 'The call spends less.', 'Nothing need change.'],
  ['timeout-lowered', 'R', 'W', 'Calls that finished may now be given up.', 'Ask for less in one call.'],
  ['timeout-raised', 'N', 'W', 'A call may take longer to answer.', 'Wait longer before giving up.'],
  ['idempotency-mode-weakened', 'B', 'W', 'Repeats act again.', 'Stop repeating the call by yourself.'],
  ['idempotency-mode-strengthened', 'N', 'W', 'Repeats can be recognised.', 'Send the key to be safe on repeats.'],
]);

export const AUTHORISATION_RULES: readonly Rule[] = rulesOf([
  ['scope-required-added', 'B', 'WP', 'Tokens that were enough no longer are.', 'Ask for a token with the scope.'],
  ['scope-required-removed', 'R', 'P', 'The same token reaches further.', 'A reviewer confirms that less is enough.'],
  ['scope-replaced', 'B', 'P', 'Old tokens carry the other scope.', 'Ask for a token with the new scope.'],
  ['scope-deleted', 'B', 'P', 'Tokens and consents name it.', 'Ask for the scopes that replace it.'],
  ['scope-added', 'N', 'P', 'People can consent to it.', 'Nothing need change.'],
  ['scope-meaning-widened', 'R', 'P', 'Consents that were given have grown.', 'Ask people again.'],
  ['scope-meaning-narrowed', 'B', 'WP', 'Tokens that were enough no longer are.', 'Ask for a token with the permission.'],
  ['project-argument-required', 'B', 'W', 'Account credentials must name the project.', 'Pass `project_id`.'],
  ['project-argument-dropped', 'N', 'W', 'Account credentials need not name the project.', 'Stop passing `project_id`.'],
  ['auth-scheme-removed', 'B', 'W', 'Credentials of the old kind are refused.', 'Use a credential of the new kind.'],
  ['anonymous-access-removed', 'B', 'WP', 'A credential is needed now.', 'Send a credential.'],
  ['anonymous-access-added', 'R', 'WP', 'Anybody reaches it.', 'A reviewer confirms that this is meant.'],
]);
