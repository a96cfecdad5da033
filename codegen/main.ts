#!/usr/bin/env node
import process from 'node:process';
import { runCli } from './cli/run.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  // Both, because commands print to either: paint sent into a pipe is noise for whoever reads it.
  color: process.stdout.isTTY && process.stderr.isTTY && (process.env['NO_COLOR'] ?? '') === '',
  cwd: process.cwd(),
  onStop: (stop) => {
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  },
});
