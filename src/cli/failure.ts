import { AdvisedError, CommandError, UsageError } from './command.js';
import type { Output } from './terminal.js';
import { jsonText, plain } from './text.js';
import type { Told } from './told.js';

/** Prints an error so that a person can act on it, or as one line of JSON where the command line (`words`) asks for that. */
export async function printFailure(output: Output, error: unknown, words: readonly string[]): Promise<void> {
  const { headline, details, advice, fields } = await tell(error, words);
  if (wantsJson(words)) return output.line(jsonText({ error: fields }));
  await output.line(`${output.style('red', 'error')}  ${plain(headline)}`);
  for (const detail of details) await output.line(`       ${plain(detail)}`);
  for (const line of advice) await output.line(`${output.style('cyan', '    ->')} ${plain(line)}`);
}

/** Whether a command line asks for JSON. */
export function wantsJson(words: readonly string[]): boolean {
  return words.includes('--json') || words.includes('--jsonl');
}

async function tell(error: unknown, words: readonly string[]): Promise<Told> {
  if (error instanceof CommandError || error instanceof UsageError) {
    const { name, message, code } = error;
    return { headline: message, details: [], advice: [], fields: { name, message, code } };
  }
  if (error instanceof AdvisedError) return { ...(await tell(error.cause, words)), advice: error.advice };
  const { tellClientFailure } = await import('./client-failure.js');
  return tellClientFailure(error, words) ?? unforeseen(error instanceof Error ? error.message : String(error));
}

function unforeseen(message: string): Told {
  return { headline: message, details: [], advice: ['this was not foreseen: please report it'], fields: { name: 'Error', message, code: 'unexpected' } };
}
