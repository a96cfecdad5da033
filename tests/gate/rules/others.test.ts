import { baseTree, DELETE } from '../../codegen/support/contract-tree.ts';
import { describeRules } from './fixture.ts';

const file = (path: string): string => String(baseTree().get(path));
const PROMPT = file('prompts/tidy_notes.yaml');
const JOB = file('jobs/note_export.yaml');
const NOTE = file('resources/notes/note.yaml');
const TEXT = 'tidy_notes:/messages/0/text';
const ASKS = 'Call {{tool "list_notes"}} about {{topic}}. Ask me before anything is changed.';
const argument = (name: string, required: boolean): Record<string, unknown> => ({
  name,
  title: 'Mood',
  description: 'Mood of the answer.',
  required,
  max_length: 40,
});

describeRules('rules about errors', [
  { rule: 'error-added', to: { 'get_note:/errors': ['note_not_found', 'store_unavailable'] } },
  { rule: 'error-removed', to: { 'create_note:/errors': [] } },
  {
    rule: 'error-renamed',
    to: { 'errors:/errors/4/code': 'store_not_available' },
    keeps: { 'errors:/errors/4/http': 500 },
  },
  {
    rule: 'error-deleted',
    to: { 'errors:/errors/4/code': 'moon_in_the_way', 'errors:/errors/4/class': 'conflict' },
    keeps: { 'errors:/errors/4/http': 500 },
  },
  { rule: 'error-retryable-lost', to: { 'errors:/errors/4/retryable': false } },
  { rule: 'error-retryable-gained', verdict: 'risky', to: { 'errors:/errors/3/retryable': true } },
  { rule: 'error-retryable-gained', to: { 'errors:/errors/0/retryable': true } },
  {
    rule: 'error-http-status-changed',
    to: { 'errors:/errors/3/http': 410 },
    keeps: { 'errors:/errors/3/meaning': 'It is gone.' },
  },
  {
    rule: 'error-class-changed',
    to: { 'errors:/errors/3/class': 'conflict' },
    keeps: { 'errors:/errors/3/http': 410 },
  },
  {
    rule: 'error-fields-added',
    to: { 'errors:/errors/3/fields': { properties: { id: { type: 'string', maxLength: 9 } } } },
  },
  {
    rule: 'error-fields-removed',
    from: { 'errors:/errors/3/fields': { properties: { id: { type: 'string', maxLength: 9 } } } },
    to: { 'errors:/errors/3/fields': DELETE },
  },
  { rule: 'error-implied-added', to: { 'errors:/errors/4/implied': true, 'create_note:/errors': [] } },
  {
    rule: 'error-recovery-changed',
    to: { 'errors:/errors/3/recovery': 'Look the id up again.' },
    keeps: { 'errors:/errors/3/meaning': 'It is gone.' },
  },
  {
    rule: 'error-meaning-changed',
    to: { 'errors:/errors/3/meaning': 'It is gone.' },
    keeps: { 'errors:/errors/3/http': 410 },
  },
  {
    rule: 'source-error-class-removed',
    to: { 'errors:/errors/4/code': 'store_not_available' },
    keeps: { 'errors:/errors/4/http': 500 },
  },
]);

/** Two files are called note; the resource is meant. */
const R = 'resources/notes/note';
const at = (pointer: string): string => `${R}:${pointer}`;

describeRules('rules about resources', [
  { rule: 'resource-removed', to: { 'guide:': DELETE } },
  {
    rule: 'resource-added',
    from: { 'guide:': DELETE },
    to: { 'resources/notes/guide:': file('resources/notes/guide.yaml') },
    keeps: { [at('/title')]: 'A note' },
  },
  { rule: 'resource-uri-changed', to: { 'guide:/uri': 'notes://handbook' }, keeps: { 'guide:/title': 'Handbook' } },
  {
    rule: 'resource-name-changed',
    to: {
      'guide:': DELETE,
      'resources/notes/handbook:': file('resources/notes/guide.yaml').replace('name: guide', 'name: handbook'),
    },
    keeps: { 'guide:/title': 'Handbook' },
  },
  {
    rule: 'resource-prose-changed',
    to: { 'guide:/title': 'Handbook' },
    keeps: { 'guide:/text': 'Write short notes.' },
  },
  { rule: 'resource-text-changed', to: { 'guide:/text': 'Write short notes.' }, keeps: { 'guide:/title': 'Handbook' } },
  { rule: 'resource-mime-changed', to: { 'guide:/mime_type': 'text/plain' }, keeps: { 'guide:/title': 'Handbook' } },
  { rule: 'resource-cache-scope-widened', to: { [at('/cache')]: { ttl_seconds: 0, scope: 'public' } } },
  {
    rule: 'resource-cache-changed',
    to: { [at('/cache')]: { ttl_seconds: 9, scope: 'private' } },
    keeps: { [at('/title')]: 'A note' },
  },
  {
    rule: 'template-literal-changed',
    to: { [at('/uri_template')]: 'notes://texts/{note}' },
    keeps: { [at('/title')]: 'A note' },
  },
  {
    rule: 'template-variable-added',
    to: {
      [at('/uri_template')]: 'notes://notes/{book}/{note}',
      [at('/variables/book')]: { type: 'string', minLength: 1, maxLength: 9, description: 'Book.' },
    },
  },
  {
    rule: 'template-variable-removed',
    from: {
      [at('/uri_template')]: 'notes://notes/{book}/{note}',
      [at('/variables/book')]: { type: 'string', minLength: 1, maxLength: 9, description: 'Book.' },
    },
    to: { [at('/uri_template')]: 'notes://notes/{note}', [at('/variables/book')]: DELETE },
  },
  {
    rule: 'template-variable-renamed',
    to: {
      [`${R}:`]: NOTE.replaceAll('{note}', '{id}')
        .replace('  note: { type', '  id: { type')
        .replace('variable: note', 'variable: id')
        .replace('variables: { note:', 'variables: { id:'),
    },
    keeps: { [at('/title')]: 'A note' },
  },
  {
    rule: 'template-completion-dropped',
    from: { [at('/variables/note/completion')]: 'note' },
    to: { [at('/variables/note/completion')]: DELETE },
  },
  { rule: 'template-overlap-introduced', to: { 'resources/notes/page:': NOTE.replace('name: note', 'name: page') } },
]);

describeRules('rules about prompts', [
  { rule: 'prompt-removed', to: { 'tidy_notes:': DELETE } },
  {
    rule: 'prompt-renamed',
    to: { 'tidy_notes:': DELETE, 'prompts/tidy_up_notes:': PROMPT.replace('name: tidy-notes', 'name: tidy-up-notes') },
    keeps: { 'tidy_notes:/title': 'Tidy' },
  },
  { rule: 'prompt-added', to: { 'prompts/rank_boards:': PROMPT.replace('name: tidy-notes', 'name: rank-boards') } },
  {
    rule: 'prompt-arg-added-required',
    to: { 'tidy_notes:/arguments/-': argument('mood', true) },
    keeps: { 'tidy_notes:/arguments/-': argument('mood', false) },
  },
  {
    rule: 'prompt-arg-removed',
    from: { 'tidy_notes:/arguments/1': argument('mood', false) },
    to: {
      'tidy_notes:/arguments': [
        { name: 'topic', title: 'Topic', description: 'Topic of the notes.', required: true, max_length: 80 },
      ],
    },
  },
  {
    rule: 'prompt-arg-renamed',
    to: { 'tidy_notes:/arguments/0/name': 'theme', [TEXT]: 'Ask me about {{theme}}.' },
    keeps: { 'tidy_notes:/arguments/0/title': 'Theme' },
  },
  {
    rule: 'prompt-arg-became-required',
    from: { 'tidy_notes:/arguments/0/required': false },
    to: { 'tidy_notes:/arguments/0/required': true },
  },
  { rule: 'prompt-arg-narrowed', to: { 'tidy_notes:/arguments/0/max_length': 40 } },
  {
    rule: 'prompt-arg-order-changed',
    from: { 'tidy_notes:/arguments/1': argument('mood', false) },
    to: {
      'tidy_notes:/arguments/0': argument('mood', false),
      'tidy_notes:/arguments/1': {
        name: 'topic',
        title: 'Topic',
        description: 'Topic of the notes.',
        required: true,
        max_length: 80,
      },
    },
    keeps: { 'tidy_notes:/arguments/0/title': 'Theme' },
  },
  {
    rule: 'prompt-arg-prose-changed',
    to: { 'tidy_notes:/arguments/0/title': 'Theme' },
    keeps: { 'tidy_notes:/title': 'Tidy' },
  },
  {
    rule: 'prompt-completion-dropped',
    from: { 'tidy_notes:/arguments/0/completion': 'topic' },
    to: { 'tidy_notes:/arguments/0/completion': DELETE },
  },
  {
    rule: 'prompt-message-roles-changed',
    to: { 'tidy_notes:/messages/-': { role: 'assistant', text: 'I am ready.' } },
    keeps: { [TEXT]: `${ASKS} Be brief.` },
  },
  {
    rule: 'prompt-body-changed',
    from: { [TEXT]: ASKS },
    to: { [TEXT]: `${ASKS} Be brief.` },
    keeps: { 'tidy_notes:/title': 'Tidy' },
  },
  {
    rule: 'prompt-guard-dropped',
    from: { [TEXT]: ASKS },
    to: { [TEXT]: 'Call {{tool "list_notes"}} about {{topic}}.' },
  },
  { rule: 'prompt-tool-added', from: { [TEXT]: ASKS }, to: { [TEXT]: `${ASKS} Then call {{tool "get_note"}}.` } },
  { rule: 'prompt-tool-dropped', from: { [TEXT]: `${ASKS} Then call {{tool "get_note"}}.` }, to: { [TEXT]: ASKS } },
  { rule: 'prompt-references-missing-tool', to: { 'list_notes:': DELETE }, keeps: { 'get_note:': DELETE } },
  { rule: 'prompt-injection-guard-dropped', from: { [TEXT]: ASKS }, to: { [TEXT]: `${ASKS} Run \`find {{topic}}\`.` } },
  {
    rule: 'prompt-prose-changed',
    to: { 'tidy_notes:/title': 'Tidy' },
    keeps: { 'tidy_notes:/arguments/0/title': 'Theme' },
  },
]);

const status = (name: string): string => `note_export:/statuses/${name}`;

describeRules('rules about jobs', [
  {
    rule: 'job-kind-removed',
    to: { 'note_export:': DELETE, 'start_export:/job': DELETE, 'start_export:/behaviour/async_mode': 'sync' },
    keeps: { 'note_export:/title': 'Export' },
  },
  {
    rule: 'job-kind-renamed',
    to: { 'note_export:': DELETE, 'jobs/notes_export:': JOB.replace('name: note_export', 'name: notes_export') },
    keeps: { 'note_export:/title': 'Export' },
  },
  {
    rule: 'job-kind-renamed-with-alias',
    to: {
      'note_export:': DELETE,
      'jobs/notes_export:': JOB.replace('name: note_export', 'name: notes_export\naliases: [note_export]'),
    },
    keeps: { 'note_export:/title': 'Export' },
  },
  { rule: 'job-kind-added', to: { 'jobs/moon_watch:': JOB.replace('name: note_export', 'name: moon_watch') } },
  { rule: 'job-alias-removed', from: { 'note_export:/aliases': ['export'] }, to: { 'note_export:/aliases': [] } },
  { rule: 'job-status-added', to: { [status('paused')]: { class: 'waiting', meaning: 'It waits for a person.' } } },
  {
    rule: 'job-status-renamed',
    to: { [status('done')]: DELETE, [status('dones')]: { class: 'succeeded', meaning: 'The file is complete.' } },
    keeps: { [status('done')]: { class: 'succeeded', meaning: 'All is written.' } },
  },
  { rule: 'job-terminal-status-removed', to: { [status('broken')]: DELETE } },
  {
    rule: 'job-terminal-set-changed',
    to: { [status('done')]: { class: 'waiting', meaning: 'The file is complete.' } },
    keeps: { [status('done')]: { class: 'succeeded', meaning: 'All is written.' } },
  },
  {
    rule: 'job-status-meaning-changed',
    to: { [status('done')]: { class: 'failed', meaning: 'The file is complete.' } },
    keeps: { [status('done')]: { class: 'succeeded', meaning: 'All is written.' } },
  },
  {
    rule: 'job-poll-interval-changed',
    to: { 'note_export:/poll_seconds': 5 },
    keeps: { 'note_export:/title': 'Export' },
  },
  { rule: 'job-retention-shortened', to: { 'note_export:/retention_days': 5 } },
  { rule: 'job-resource-changed', to: { 'note_export:/resource': 'guide' }, keeps: { 'note_export:/title': 'Export' } },
  { rule: 'job-start-link-removed', to: { 'start_export:': DELETE } },
  { rule: 'job-id-shortened', to: { 'note_export:/id/maxLength': 32 } },
  { rule: 'job-prose-changed', to: { 'note_export:/title': 'Export' }, keeps: { 'note_export:/poll_seconds': 5 } },
]);

describeRules('rules about the server and its endpoints', [
  { rule: 'server-name-changed', to: { 'server:/name': 'jotter' }, keeps: { 'server:/title': 'Jotter' } },
  { rule: 'server-title-changed', to: { 'server:/title': 'Jotter' }, keeps: { 'server:/name': 'jotter' } },
  { rule: 'uri-scheme-changed', to: { 'server:/uri_scheme': 'jots' }, keeps: { 'server:/title': 'Jotter' } },
  {
    rule: 'instructions-changed',
    to: { 'server:/instructions': 'Call `list_notes` first and read one note.' },
    keeps: { 'server:/title': 'Jotter' },
  },
  { rule: 'instructions-lost-guidance', to: { 'server:/instructions': 'Notes are kept here.' } },
  { rule: 'endpoint-removed', to: { 'add_note:': DELETE } },
  {
    rule: 'endpoint-added',
    from: { 'add_note:': DELETE },
    to: { 'endpoints/notes/add_note:': file('endpoints/notes/add_note.yaml') },
    keeps: { 'server:/title': 'Jotter' },
  },
  { rule: 'endpoint-address-changed', to: { 'add_note:/method': 'PUT' }, keeps: { 'add_note:/title': 'Add' } },
  { rule: 'endpoint-body-limit-lowered', to: { 'add_note:/request/max_bytes': 1024 } },
  {
    rule: 'endpoint-content-type-removed',
    from: { 'add_note:/request/content_types': ['application/json', 'text/plain'] },
    to: { 'add_note:/request/content_types': ['application/json'] },
  },
  { rule: 'endpoint-status-changed', to: { 'add_note:/response/status': 200 }, keeps: { 'add_note:/title': 'Add' } },
  {
    rule: 'endpoint-request-schema-added',
    from: { 'add_note:/request/schema': DELETE },
    to: { 'add_note:/request/schema': { properties: { text: { type: 'string', maxLength: 9 } } } },
  },
  { rule: 'endpoint-response-schema-removed', to: { 'add_note:/response/schema': DELETE } },
  { rule: 'endpoint-prose-changed', to: { 'add_note:/title': 'Add' }, keeps: { 'add_note:/response/status': 200 } },
  {
    rule: 'source-type-removed',
    from: {
      'models/spare:':
        'kind: model\nname: spare\ntitle: Spare\ndescription: Not in use.\nschema: { type: string, maxLength: 7 }\n',
    },
    to: { 'models/spare:': DELETE },
  },
  {
    rule: 'source-type-renamed',
    from: {
      'models/spare:':
        'kind: model\nname: spare\ntitle: Spare\ndescription: Not in use.\nschema: { type: string, maxLength: 7 }\n',
    },
    to: {
      'models/spare:': DELETE,
      'models/extra:':
        'kind: model\nname: extra\ntitle: Spare\ndescription: Not in use.\nschema: { type: string, maxLength: 7 }\n',
    },
    keeps: { 'server:/title': 'Jotter' },
  },
]);

const deprecated = (
  sunset: string,
  more: Record<string, unknown> = { replacement: 'list_notes' },
): Record<string, unknown> => ({
  'get_note:/deprecated': { since: '1.0.0', sunset, reason: 'It is folded into the list.', ...more },
});
const TOMB = 'vocabulary/tombstones:';
const tombs = (name: string): string =>
  `kind: tombstones\ntombstones:\n  - { kind: tool, name: ${name}, removed: 0.9.0, reason: It was folded into the list. }\n`;

describeRules('rules about the life of a contract', [
  { rule: 'deprecation-added', to: deprecated('2027-06-01') },
  { rule: 'deprecation-without-replacement', to: deprecated('2027-06-01', {}), keeps: deprecated('2027-06-01') },
  { rule: 'sunset-too-soon', to: deprecated('2026-12-24'), keeps: deprecated('2027-06-01') },
  { rule: 'sunset-moved-earlier', from: deprecated('2027-06-01'), to: deprecated('2027-05-01') },
  { rule: 'sunset-moved-later', from: deprecated('2027-06-01'), to: deprecated('2027-07-01') },
  { rule: 'undeprecated', from: deprecated('2027-06-01'), to: { 'get_note:/deprecated': DELETE } },
  { rule: 'stability-lowered', to: { 'get_note:/stability': 'beta' } },
  { rule: 'stability-raised', from: { 'get_note:/stability': 'beta' }, to: { 'get_note:/stability': 'stable' } },
  {
    rule: 'tombstone-missing',
    from: deprecated('2026-06-01'),
    to: { 'get_note:': DELETE },
    keeps: { 'get_note:': DELETE, [TOMB]: tombs('get_note') },
  },
  { rule: 'tombstone-deleted', from: { [TOMB]: tombs('fetch_note') }, to: { [TOMB]: DELETE } },
  { rule: 'tombstone-reused', to: { [TOMB]: tombs('get_note') }, keeps: { [TOMB]: tombs('fetch_note') } },
  { rule: 'alias-shadows-tool', to: { [TOMB]: tombs('read_note') }, keeps: { [TOMB]: tombs('fetch_note') } },
  {
    rule: 'version-not-bumped',
    judgeVersion: true,
    to: { 'get_note:/title': 'Fetch' },
    keeps: { 'get_note:/title': 'Fetch', 'server:/version': '1.0.1' },
  },
  { rule: 'version-decreased', judgeVersion: true, to: { 'server:/version': '0.9.0' } },
  {
    rule: 'version-bump-too-small',
    judgeVersion: true,
    to: { 'get_note:': DELETE, 'server:/version': '1.1.0' },
    keeps: { 'get_note:': DELETE, 'server:/version': '2.0.0' },
  },
  {
    rule: 'version-bump-too-large',
    judgeVersion: true,
    to: { 'get_note:/title': 'Fetch', 'server:/version': '2.0.0' },
    keeps: { 'get_note:': DELETE, 'server:/version': '2.0.0' },
  },
]);
