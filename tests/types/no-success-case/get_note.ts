import { describeTool, todo } from '../../support/describe-tool.ts';

describeTool('get_note', {
  succeeds: {},
  fails: { note_not_found: todo },
  staysInProject: { note_id: todo },
});
