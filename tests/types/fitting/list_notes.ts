import { describeTool, todo } from '../../support/describe-tool.ts';

describeTool('list_notes', { succeeds: { 'lists notes': todo } });
