#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { createTerminal } from '../kernel/terminal.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), createTerminal(process));
// All that was opened is closed; a connection that somebody else holds open must not keep the process.
setTimeout(() => process.exit(), 5_000).unref();
