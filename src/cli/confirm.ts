import { createInterface } from 'node:readline';
import { CommandError } from './command.js';
import { toPrintable } from './print/text.js';
import type { Terminal } from './terminal.js';

/** A question, and the only text that confirms it. */
export interface Question {
  readonly question: string;
  readonly expected: string;
}

/** Asks a question, and returns the answer without spaces around it. */
export type Ask = (question: string) => Promise<string>;

/** Asks questions on standard input. */
export async function askAll<T>({ input, notes }: Terminal, work: (ask: Ask) => Promise<T>): Promise<T> {
  const reader = createInterface({ input });
  const lines = reader[Symbol.asyncIterator]();
  try {
    return await work(async (question) => {
      await notes.write(`${toPrintable(question)} `);
      const { value, done } = await lines.next();
      return done === true ? '' : value.trim();
    });
  } finally {
    reader.close();
  }
}

/** Asks questions. Throws `CommandError` if one is not confirmed. */
export async function confirmAll(questions: readonly Question[], ask: Ask): Promise<void> {
  for (const { question, expected } of questions)
    if ((await ask(question)) !== expected)
      throw new CommandError(`this was not confirmed with "${expected}"; nothing was changed`);
}
