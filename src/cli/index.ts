#!/usr/bin/env node
import { exitCodes } from './command.js';
import { main } from './main.js';
import { terminalOf } from './terminal.js';

// A reader such as `head` may close the pipe early, which is not a failure, unless the exit code is a verdict. A
// command whose notes are not read goes on.
const codeWithoutReader = ['doctor', 'verify'].includes(process.argv[2] ?? '') ? exitCodes.signal + 13 : exitCodes.done;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE')
      return stream === process.stderr ? undefined : process.exit(process.exitCode ?? codeWithoutReader);
    if (stream !== process.stderr) process.stderr.write(`error  the output cannot be written (${error.code})\n`);
    process.exit(exitCodes.failed);
  });
}
process.exitCode = await main(process.argv.slice(2), terminalOf(process));
// The module of a signer can keep the process open.
for (const stream of [process.stdout, process.stderr])
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
process.exit();
