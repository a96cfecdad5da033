#!/usr/bin/env node
import { createTerminal } from '../kernel/terminal.ts';
import { runCommandLine } from './command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), createTerminal(process), process.env);
