/** What a server made from contracts alone cannot be asked for, by the reason. Everything else of the suite must pass. */
interface Reason {
  readonly reason: string;
  readonly scenarios: readonly string[];
}

const REASONS: readonly Reason[] = [
  {
    reason: 'a contract declares JSON results and text, no images, sounds or bytes',
    scenarios: [
      'tools-call-image',
      'tools-call-audio',
      'tools-call-embedded-resource',
      'tools-call-mixed-content',
      'resources-read-binary',
      'prompts-get-embedded-resource',
      'prompts-get-with-image',
    ],
  },
  {
    reason: 'a contract declares no progress of a single call; long work is a job that is polled',
    scenarios: ['tools-call-with-progress'],
  },
  {
    reason: 'the mock declares no logging, which 2026-07-28 deprecates',
    scenarios: ['logging-set-level', 'tools-call-with-logging'],
  },
  {
    reason: 'the mock declares no subscriptions',
    scenarios: ['resources-subscribe', 'resources-unsubscribe'],
  },
  {
    reason: 'no contract declares questions to the client',
    scenarios: [
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
      'tools-call-elicitation',
      'tools-call-sampling',
      'input-required-result-basic-elicitation',
      'input-required-result-basic-list-roots',
      'input-required-result-basic-sampling',
      'input-required-result-capability-check',
      'input-required-result-ignore-extra-params',
      'input-required-result-missing-input-response',
      'input-required-result-multi-round',
      'input-required-result-multiple-input-requests',
      'input-required-result-non-tool-request',
      'input-required-result-request-state',
      'input-required-result-result-type',
      'input-required-result-tampered-state',
    ],
  },
  {
    reason: 'the mock does not declare the tasks extension; its jobs are asked for by the tool that polls them',
    scenarios: [
      'tasks-capability-negotiation',
      'tasks-dispatch-and-envelope',
      'tasks-lifecycle',
      'tasks-mrtr-composition',
      'tasks-mrtr-input',
      'tasks-request-headers',
      'tasks-request-state-removal',
      'tasks-required-task-error',
      'tasks-status-notifications',
      'tasks-wire-fields',
    ],
  },
  {
    reason: 'the mock mints no sessions, as 2025-11-25 allows',
    scenarios: [
      '2025-11-25 server-session-lifecycle',
      '2025-11-25 server-sse-multiple-streams',
      '2025-11-25 server-sse-polling',
    ],
  },
  {
    reason: 'published schemas hold no references or composition, by the projection',
    scenarios: ['json-schema-2020-12'],
  },
];

/** Why a scenario cannot apply, in one revision or in both; undefined when it must pass. */
export function whyNot(revision: string, scenario: string): string | undefined {
  const names = [scenario, `${revision} ${scenario}`];
  return REASONS.find(({ scenarios }) => scenarios.some((one) => names.includes(one)))?.reason;
}

export const EXCUSED_SCENARIOS: readonly string[] = REASONS.flatMap(({ scenarios }) => scenarios);

/** Single checks of scenarios that must pass otherwise. */
export const EXCUSED_CHECKS: Readonly<Record<string, string>> = {
  'sep-2575-server-rejects-undeclared-capability': 'no contract declares a tool that needs sampling',
  'sep-2575-missing-capability-http-400': 'no contract declares a tool that needs sampling',
};
