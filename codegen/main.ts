#!/usr/bin/env node
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { setFlagsFromString } from 'node:v8';
import { runCli } from './cli/run.ts';

// Most commands end before optimised code has paid for its making, so functions have to run hotter to earn it.
setFlagsFromString('--interrupt-budget=600000');

process.exitCode = await runCli(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  // Both, because commands print to either: paint sent into a pipe is noise for whoever reads it.
  color: process.stdout.isTTY && process.stderr.isTTY && (process.env['NO_COLOR'] ?? '') === '',
  cwd: process.cwd(),
  ...(process.stdin.isTTY && process.stderr.isTTY ? { ask } : {}),
  onStop: (stop) => {
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  },
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(`${question} `);
  } finally {
    terminal.close();
  }
}
