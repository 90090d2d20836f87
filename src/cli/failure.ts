import { ApiError, CorridorError, InvalidRequestError, type StoredIntent } from '../index.js';
import { CommandError, UsageError } from './command.js';
import type { Output } from './terminal.js';
import { jsonText, plain } from './text.js';

/** Prints an error so that a person can act on it; `words` are the command line. */
export async function printFailure(output: Output, error: unknown, words: readonly string[]): Promise<void> {
  const { headline, details, advice } = told(error, words.some((word) => /^--journal(?:=|$)/.test(word)));
  await output.line(`${output.style('red', 'error')}  ${plain(headline)}`);
  for (const detail of details) await output.line(`       ${plain(detail)}`);
  for (const line of advice) await output.line(`${output.style('cyan', '    ->')} ${plain(line)}`);
}

/** Prints an error as one line of JSON. */
export function printFailureAsJson(output: Output, error: unknown): Promise<void> {
  return output.line(jsonText({ error: fieldsOf(error) }));
}

function fieldsOf(error: unknown): object {
  // The intent is what the caller gave; whoever has it can find out later what became of it.
  if (error instanceof CorridorError) return { ...error.toJSON(), intent: error.intent };
  if (error instanceof CommandError || error instanceof UsageError) return { name: error.name, message: error.message, code: error.code };
  return { name: 'Error', message: messageOf(error), code: 'unexpected' };
}

interface Told {
  readonly headline: string;
  readonly details: readonly string[];
  readonly advice: readonly string[];
}

function told(error: unknown, journal: boolean): Told {
  if (error instanceof CorridorError) return { headline: headlineOf(error), details: [...issuesOf(error), summaryOf(error)], advice: adviceFor(error, journal) };
  if (error instanceof CommandError || error instanceof UsageError) return { headline: error.message, details: [], advice: [] };
  return { headline: messageOf(error), details: [], advice: ['this was not foreseen: please report it'] };
}

function headlineOf(error: CorridorError): string {
  return error instanceof InvalidRequestError && error.issues.length > 1 ? `${error.endpoint ?? 'it'} was not sent:` : error.message;
}

function issuesOf(error: CorridorError): string[] {
  return error instanceof InvalidRequestError && error.issues.length > 1 ? error.issues.map(({ path, message }) => `- ${path === '' ? 'it' : path} ${message}`) : [];
}

function summaryOf(error: CorridorError): string {
  const { code, outcome, requestId, attempts } = error;
  const status = error instanceof ApiError ? [`status ${error.status}`] : [];
  return [
    `code ${code}`, `outcome ${outcome}`, ...status,
    ...(requestId === undefined ? [] : [`request id ${requestId}`]), ...(attempts.length > 1 ? [`${attempts.length} attempts`] : []),
  ].join(', ');
}

function adviceFor(error: CorridorError, journal: boolean): string[] {
  const { code, outcome, intent, cursor } = error;
  if (intent !== undefined && (outcome === 'unknown' || outcome === 'applied')) return adviceForIntent(intent, journal);
  if (cursor !== undefined && code !== 'pagination') return [`to go on from there, give {"cursor": ${JSON.stringify(cursor)}} with the same filters`];
  if (code === 'configuration' || code === 'authentication' || code === 'connection') return ['corridor doctor looks at credentials, network and clock, and says what to do'];
  if (error instanceof ApiError && error.retryAfter !== undefined) return [`try again in ${Math.ceil(error.retryAfter)} s`];
  return [];
}

function adviceForIntent({ request, sentAt }: StoredIntent, journal: boolean): string[] {
  if (journal) return ['run the same command with the same journal again: it looks for the payment, and sends no other'];
  const quote = request['paymentQuoteId'];
  // The list may tell of a time a little before the one we know.
  const from = new Date(Date.parse(sentAt) - 60_000).toISOString();
  return [
    `do not create it again before you know; it was sent at ${sentAt}${typeof quote === 'string' ? ` against quote ${quote}` : ''}`,
    `look for it: corridor call payments.list '{"createdFrom":"${from}"}' --all --columns id,status,amount,paymentQuoteId`,
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
