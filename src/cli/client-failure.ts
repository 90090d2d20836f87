import { ApiError, CorridorError, InvalidRequestError, type StoredIntent } from '../index.js';
import type { Told } from './told.js';

/** What is printed of an error of the client; undefined where it is none. `words` are the command line. */
export function tellClientFailure(error: unknown, words: readonly string[]): Told | undefined {
  if (!(error instanceof CorridorError)) return undefined;
  const hasJournal = words.some((word) => /^--journal(?:=|$)/.test(word));
  return {
    headline: headlineOf(error),
    details: [...issuesOf(error), summaryOf(error)],
    advice: adviceFor(error, hasJournal),
    // The intent is what the caller gave; whoever has it can find out later what became of it.
    fields: { ...error.toJSON(), intent: error.intent },
  };
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

function adviceFor(error: CorridorError, hasJournal: boolean): string[] {
  const { code, outcome, intent, cursor } = error;
  if (intent !== undefined && (outcome === 'unknown' || outcome === 'applied')) return adviceForIntent(intent, hasJournal);
  if (cursor !== undefined && code !== 'pagination') return [`to go on from there, give {"cursor": ${JSON.stringify(cursor)}} with the same filters`];
  if (code === 'configuration' || code === 'authentication' || code === 'connection') return ['corridor doctor looks at credentials, network and clock, and says what to do'];
  if (error instanceof ApiError && error.retryAfter !== undefined) return [`try again in ${Math.ceil(error.retryAfter)} s`];
  return [];
}

function adviceForIntent({ request, sentAt }: StoredIntent, hasJournal: boolean): string[] {
  if (hasJournal) return ['run the same command with the same journal again: it looks for the payment, and sends no other'];
  const quote = request['paymentQuoteId'];
  // The list may tell of a time a little before the one we know.
  const from = new Date(Date.parse(sentAt) - 60_000).toISOString();
  return [
    `do not create it again before you know; it was sent at ${sentAt}${typeof quote === 'string' ? ` against quote ${quote}` : ''}`,
    `look for it: corridor call payments.list '{"createdFrom":"${from}"}' --all --columns id,status,amount,paymentQuoteId`,
  ];
}
