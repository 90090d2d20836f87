import { createInterface } from 'node:readline';
import { CommandError } from './command.js';
import { toPrintable } from './print/text.js';
import type { Terminal } from './terminal.js';

/** A question, and the only text that confirms it. */
export interface Question {
  readonly question: string;
  readonly expected: string;
}

/** Asks questions on standard input. Throws `CommandError` if one is not confirmed. */
export async function confirmAll(questions: readonly Question[], { input, notes }: Terminal): Promise<void> {
  const reader = createInterface({ input });
  const lines = reader[Symbol.asyncIterator]();
  try {
    for (const { question, expected } of questions) {
      await notes.write(`${toPrintable(question)} `);
      const { value, done } = await lines.next();
      if (done === true || value.trim() !== expected)
        throw new CommandError(`this was not confirmed with "${expected}"; nothing was changed`);
    }
  } finally {
    reader.close();
  }
}
