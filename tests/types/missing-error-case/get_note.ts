import { describeTool, todo } from '../../support/describe-tool.ts';

describeTool('get_note', {
  succeeds: { 'reads a note': todo },
  fails: {},
  staysInProject: { note_id: todo },
});
