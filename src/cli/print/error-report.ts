import { parseArgs } from 'node:util';
import type { CorridorError, PaymentCreateIntent } from '../../index.js';
import { CommandError, UsageError } from '../command.js';
import { currentShell } from '../shell.js';
import type { Output } from '../terminal.js';
import { jsonText, toPrintable } from './text.js';

/** The parts of a printed error. */
interface ErrorReport {
  readonly headline: string;
  /** More lines about the error. */
  readonly details: readonly string[];
  /** Suggested next steps. */
  readonly advice: readonly string[];
  /** The error for programs. */
  readonly fields: object;
}

/** Prints an error with suggested next steps, or as one line of JSON if the command line asks for JSON. */
export async function printError(output: Output, error: unknown, argv: readonly string[]): Promise<void> {
  const { headline, details, advice, fields } = await describeError(error, argv);
  if (wantsJson(argv)) return output.line(jsonText({ error: fields }));
  await output.line(`${output.style('red', 'error')}  ${toPrintable(headline)}`);
  for (const detail of details) await output.line(`       ${toPrintable(detail)}`);
  for (const line of advice) await output.line(`${output.style('cyan', '    ->')} ${toPrintable(line)}`);
}

/** Checks whether a command line asks for JSON. */
export function wantsJson(argv: readonly string[]): boolean {
  return argv.includes('--json') || argv.includes('--jsonl');
}

async function describeError(error: unknown, argv: readonly string[]): Promise<ErrorReport> {
  if (error instanceof CommandError || error instanceof UsageError) {
    const { name, message, code } = error;
    const details = error instanceof UsageError ? error.details : [];
    return {
      headline: message,
      details,
      advice: [],
      fields: { name, message: [message, ...details].join('\n'), code },
    };
  }
  const described = await describeClientError(error, argv);
  if (described !== undefined) return described;
  const message = error instanceof Error ? error.message : String(error);
  const advice = ['Please report this unexpected error'];
  return { headline: message, details: [], advice, fields: { name: 'Error', message, code: 'unexpected' } };
}

/** Describes an error of the client; undefined for any other error. */
async function describeClientError(error: unknown, argv: readonly string[]): Promise<ErrorReport | undefined> {
  // Imported here because a usage error must not load the client.
  const client = await import('../../index.js');
  if (!(error instanceof client.CorridorError)) return undefined;
  const issues = error instanceof client.InvalidRequestError && error.issues.length > 1 ? error.issues : [];
  const { status, retryAfterMs } =
    error instanceof client.ApiError ? error : { status: undefined, retryAfterMs: undefined };
  return {
    headline: issues.length > 0 ? `${error.endpoint ?? 'the request'} was not sent:` : error.message,
    details: [
      ...issues.map(({ path, message }) => `- ${path === '' ? 'the request' : path} ${message}`),
      summaryOf(error, status),
    ],
    advice: adviceFor(error, retryAfterMs, argv),
    // The intent contains only input of the caller, who needs it to find the payment later.
    fields: { ...error.toJSON(), intent: error.intent },
  };
}

function summaryOf({ code, outcome, requestId, attempts }: CorridorError, status: number | undefined): string {
  return [
    `code ${code}`,
    `outcome ${outcome}`,
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(requestId === undefined ? [] : [`request id ${requestId}`]),
    ...(attempts.length > 1 ? [`${attempts.length} attempts`] : []),
  ].join(', ');
}

function adviceFor(
  { code, outcome, intent, cursor, message }: CorridorError,
  retryAfterMs: number | undefined,
  argv: readonly string[],
): string[] {
  if (intent !== undefined && (outcome === 'unknown' || outcome === 'applied')) return adviceForIntent(intent, argv);
  if (argv[0] === 'call' && cursor !== undefined && code !== 'pagination')
    return [`To continue from there, pass {"cursor": ${JSON.stringify(cursor)}} with the same filters`];
  if (code === 'invalid-request' && message.includes('; others with unknownFields'))
    return ['In the JSON, a field that the platform has added since is "name": {"unknownField": "…"}'];
  if (code === 'invalid-request' && message.includes('unknownValue('))
    return ['In the JSON, a value that the platform has added since is {"unknownValue": "…"}'];
  if (code === 'authentication' || code === 'connection')
    return [`Run ${currentShell().corridor(`doctor${settingsWords(argv)}`)} to check credentials, network and clock`];
  return retryAfterMs === undefined ? [] : [`Try again in ${Math.ceil(retryAfterMs / 1_000)} s`];
}

function adviceForIntent({ request, createdAt, clockKnown }: PaymentCreateIntent, argv: readonly string[]): string[] {
  if (argv.some((word) => /^--journal(?:=|$)/.test(word)))
    return ['Run the same command with the same journal again: it searches for the payment and does not send another'];
  // The clock of the list may be an hour behind (A-14). If the platform's time is unknown, so is that of the payment.
  const from = clockKnown === true ? new Date(Date.parse(createdAt) - 60 * 60_000).toISOString() : undefined;
  const { paymentQuoteId } = request;
  const search = currentShell().callWithJson(
    'payments.find',
    { paymentQuoteId, createdFrom: from },
    settingsWords(argv),
  );
  return [
    'Do not create it again until you know whether it exists; it was ' +
      `sent at ${createdAt} against quote ${paymentQuoteId}`,
    `Search for it: ${search}`,
  ];
}

/** Returns the words with which another command uses the same settings. */
function settingsWords(argv: readonly string[]): string {
  const options = { 'env-file': { type: 'string' } } as const;
  const { 'env-file': file } = parseArgs({ args: [...argv], options, strict: false }).values;
  return typeof file !== 'string' ? '' : ` --env-file ${currentShell().quote(file)}`;
}
