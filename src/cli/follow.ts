import { redactingFetch } from './redact.js';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import {
  integerOption,
  optionLines,
  parseArguments,
  readInput,
  rejectArguments,
  rejectOptions,
  statusesOf,
  unknownStatusOption,
  type Arguments,
} from './arguments.js';
import { CommandError, exitCodes, UsageError, withoutAdvice, type Command } from './command.js';
import { abortOnSignal } from './interrupt.js';
import { jsonText, toPrintable } from './print/text.js';
import { settingsOptions } from './settings-source.js';
import { currentShell } from './shell.js';
import type { Output, Terminal } from './terminal.js';
import { finalStatuses } from '../contract/schema/payments.js';
import type { PaymentChange, PaymentStatus, PaymentWebhookEvent, RequestErrorEvent } from '../index.js';
import type { SqliteCheckpointStore } from '../journal/sqlite.js';
import { version } from '../version.js';

const options = {
  once: { about: 'prints the changes until now, and ends' },
  status: {
    value: '<names>',
    about: 'prints only changes to these statuses: COMPLETED,REJECTED',
  },
  ...unknownStatusOption,
  since: {
    value: '<time>',
    about: 'without a stored checkpoint, prints the payments created since then (2026-01-01T00:00Z)',
  },
  checkpoint: { value: '<file>', about: 'stores the position in a SQLite file, and continues from it' },
  'forward-to': { value: '<url>', about: 'posts each change to this URL as a signed webhook' },
  'secret-file': { value: '<file>', about: 'the secret of the webhooks (default: CORRIDOR_WEBHOOK_SECRET)' },
  'max-attempts': { value: '<n>', about: 'ends if a webhook failed this often (default: 20, which takes an hour)' },
  ...settingsOptions,
} as const;

type FollowArguments = Arguments<typeof options>;

/** `corridor follow` */
export const command: Command = {
  options,
  help: () => `Usage: corridor follow [options]

Polls for new payments and for changes of their status, and prints each as one line of JSON, or on a terminal as
one line to read:

  {"payment":{"id":"pay_1","status":"COMPLETED",…},"previousStatus":"PROCESSING"}

previousStatus is null for a new payment. Without --since and --checkpoint, it begins with the changes from now on.
With --checkpoint, no change is lost: after a crash, the changes of the last poll can be printed again. One process at a
time uses the file; a second one waits and takes over.

  corridor follow --status ${currentShell().quote('COMPLETED,RETURNED')} --checkpoint follow.sqlite
  corridor follow --once --since 2026-01-01T00:00Z --checkpoint follow.sqlite
  corridor follow --forward-to https://shop.example/webhooks --checkpoint follow.sqlite

--forward-to posts changes in order, with the headers and signatures of Standard Webhooks. The next one is posted after a
status 2xx. The same change has the same webhook-id, also after a restart; after a crash, the last ones can be posted
again, because storing the position takes at most a tenth of the time. It prints a line for each accepted webhook.

${optionLines(options)}
`,
  async run(argv, terminal) {
    const args = parseArguments(argv, options);
    rejectArguments(args.positionals);
    const stop = new AbortController();
    const deliver = await deliveryOf(args, terminal, stop.signal);
    const { Corridor } = await import('../index.js');
    const corridor = new Corridor({
      fetch: redactingFetch(terminal.secrets),
      userAgent: 'corridor-follow',
      hooks: { onError: (event) => noteFailedPoll(event, terminal.notes) },
    });
    const statuses = statusesOf(args) as readonly PaymentStatus[];
    const file = args.value('checkpoint');
    const store = file === undefined ? undefined : await openStore(file, terminal.notes);
    let delivered: PaymentChange | undefined;
    let nextSave = 0;
    let isSaved = true;
    // Otherwise the next run would deliver the whole poll again.
    const saveDelivered = async (): Promise<void> => {
      if (delivered === undefined || store === undefined) return;
      const problem = await store.save(delivered.checkpoint).catch((error: unknown) => error as Error);
      if (problem !== undefined && isSaved)
        await terminal.notes.line(
          `The position was not stored in ${file} (${problem.message}). After a crash, changes since the last stored one are repeated.`,
        );
      isSaved = problem === undefined;
    };
    // The row is written before the signal releases the lease.
    stop.signal.addEventListener('abort', () => void saveDelivered());
    abortOnSignal(stop);
    if (terminal.output.isTerminal && !args.has('once'))
      await terminal.notes.line('Following payments. Press Ctrl+C to end.');
    try {
      const changes = corridor.payments.changes({
        once: args.has('once'),
        ...(statuses.length > 0 && { statuses }),
        since: args.value('since'),
        store,
        onCheckpoint: () => (delivered = undefined),
        signal: stop.signal,
      });
      // The next change is requested only after this one is delivered: a checkpoint never skips one.
      for await (const change of changes) {
        try {
          await deliver(change);
        } catch (error) {
          await saveDelivered();
          throw error;
        }
        delivered = change;
        const started = performance.now();
        if (!args.has('forward-to') || started < nextSave) continue;
        await saveDelivered();
        // The checkpoint contains every open payment: with many, storing it takes longer than a webhook.
        nextSave = performance.now() + 10 * (performance.now() - started);
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      store?.close();
    }
    return exitCodes.done;
  },
};

/** Returns a function that prints a change or posts it. */
async function deliveryOf(
  args: FollowArguments,
  { output, notes, environment, secrets }: Terminal,
  signal: AbortSignal,
): Promise<(change: PaymentChange) => Promise<void>> {
  const address = args.value('forward-to');
  if (address === undefined) {
    rejectOptions(args, ['secret-file', 'max-attempts'], '--forward-to');
    return (change) => output.line(output.isTerminal ? lineOf(change) : jsonOf(change));
  }
  const secretFile = args.value('secret-file');
  const secret = secretFile === undefined ? (environment['CORRIDOR_WEBHOOK_SECRET'] ?? '') : readInput(secretFile);
  if (secret.trim() === '')
    throw new UsageError(
      'the secret of the webhooks is missing. Set CORRIDOR_WEBHOOK_SECRET, or pass a file with --secret-file',
    );
  for (const text of secret.split(/\s+/)) secrets.add(text);
  const webhook = {
    url: parseEndpoint(address),
    signers: parseSecrets(secret),
    maxAttempts: integerOption('max-attempts', args.value('max-attempts') ?? '20', 1, 1000),
    notes,
  };
  if (!args.has('checkpoint') && !args.has('once'))
    await notes.line('Without --checkpoint, changes are lost while this command does not run.');
  return async (change) => {
    const result = await postChange(change, webhook, signal);
    await output.line(jsonText({ paymentId: change.payment.id, status: change.payment.status, ...result }));
  };
}

const jsonOf = ({ payment, previousStatus }: PaymentChange): string =>
  jsonText({ payment, previousStatus: previousStatus ?? null });

/** Returns a change as a line for people. */
function lineOf({ payment, previousStatus = 'new' }: PaymentChange): string {
  const { id, status, amount, currencyCode, internalReference, updatedAt } = payment;
  return toPrintable(
    `${updatedAt}  ${id}  ${previousStatus} -> ${status}  ${amount} ${currencyCode}  ${internalReference ?? ''}`.trimEnd(),
  );
}

async function openStore(file: string, notes: Output): Promise<SqliteCheckpointStore> {
  const { SqliteCheckpointStore: Store } = await import('../journal/sqlite.js');
  class NotingStore extends Store {
    #isWaiting = false;

    override async acquire(): ReturnType<SqliteCheckpointStore['acquire']> {
      const lease = await super.acquire();
      if (lease === undefined && !this.#isWaiting) {
        this.#isWaiting = true;
        const seconds = this.leaseDuration / 1_000;
        await notes.line(`Another process uses ${file}. This one takes over within ${seconds} seconds after it ends.`);
      }
      return lease;
    }
  }
  return withoutAdvice(() => new NotingStore(file));
}

// The errors that a later poll can repair; any other error ends the command, which prints it.
const repeatedErrors: ReadonlySet<string> = new Set(['connection', 'timeout', 'rate-limit', 'server']);

function noteFailedPoll({ endpoint, code, status }: RequestErrorEvent, notes: Output): void {
  if (!repeatedErrors.has(code)) return;
  const cause = status === undefined ? code : `${code}, status ${status}`;
  void notes.line(`${endpoint} failed (${cause}). It is repeated after a delay.`);
}

const timeout = 30_000;
const [firstDelay, maxDelay] = [1_000, 300_000];
/** The shortest secret that the specification of Standard Webhooks allows, in bytes. */
const minSecretBytes = 24;

/** A change as an event of Standard Webhooks. */
interface WebhookEvent {
  /** Equal for each delivery of the same change. */
  readonly id: string;
  readonly name: string;
  readonly body: string;
}

/** Where and how to post events. */
interface WebhookOptions {
  readonly url: URL;
  readonly signers: readonly Webhook[];
  readonly maxAttempts: number;
  /** Receives a line for each failed attempt. */
  readonly notes: Output;
}

/** Parses the URL of an endpoint. Throws `UsageError`. */
function parseEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLoopback = url !== undefined && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback))
    throw new UsageError('--forward-to must be an https URL, or http on this machine: https://shop.example/webhooks');
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--forward-to must not contain a user name or password. Verify the signature instead');
  return url;
}

/** Parses secrets separated by white space; during a rotation there are two. Throws `UsageError`. */
function parseSecrets(text: string): readonly Webhook[] {
  return text
    .trim()
    .split(/\s+/)
    .map((secret) => {
      const encoded = secret.replace(/^whsec_/, '');
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || Buffer.from(encoded, 'base64').length < minSecretBytes)
        throw new UsageError(
          `the secret of the webhooks must be whsec_ and at least ${minSecretBytes} bytes in base64. Generate one with: node -p 'crypto.randomBytes(32).toString(\`base64\`)'`,
        );
      return new Webhook(encoded);
    });
}

/**
 * Posts a change, with retries. Resolves to the event and the number of attempts when the endpoint returned 2xx. Throws
 * `CommandError` if it does not accept the event.
 */
async function postChange(
  change: PaymentChange,
  { url, signers, maxAttempts, notes }: WebhookOptions,
  signal: AbortSignal,
): Promise<{ readonly webhookId: string; readonly attempts: number }> {
  const { id, name, body } = eventOf(change);
  for (let attempt = 1; ; attempt += 1) {
    const { problem, isRetryable, retryAfter } = await post(url, id, body, signers, signal);
    if (problem === undefined) return { webhookId: id, attempts: attempt };
    if (!isRetryable || attempt >= maxAttempts)
      throw new CommandError(
        `${url.origin} did not accept ${name} (webhook-id ${id}) after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}: ${problem}. No later event was sent. Fix the endpoint and run the command again; with --checkpoint, it continues with this event`,
      );
    const backoff = Math.min(maxDelay, firstDelay * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
    const delay = Math.max(backoff, Math.min(maxDelay, retryAfter));
    await notes.line(`${name}: attempt ${attempt} failed: ${problem}. The next one is in ${Math.ceil(delay / 1000)} s`);
    await sleep(delay, undefined, { signal });
  }
}

function eventOf({ payment, ...change }: PaymentChange): WebhookEvent {
  const { id, status, updatedAt } = payment;
  const previousStatus = change.previousStatus ?? null;
  const type = previousStatus === null ? 'payment.created' : 'payment.status_changed';
  const event: PaymentWebhookEvent = { type, timestamp: updatedAt, data: { payment, previousStatus } };
  // Only a change between open statuses can happen twice. Another update of the payment must not give a change a new id.
  const isUnique = previousStatus === null || Object.hasOwn(finalStatuses, status);
  const key = JSON.stringify([id, previousStatus, status, ...(isUnique ? [] : [updatedAt])]);
  return {
    id: `msg_${createHash('sha256').update(key).digest('base64url')}`,
    name: `${type} of payment ${id} (${status})`,
    body: JSON.stringify(event),
  };
}

interface Attempt {
  /** Undefined if the endpoint accepted the event. */
  readonly problem?: string;
  readonly isRetryable: boolean;
  /** The delay that the endpoint asks for, in milliseconds; 0 if it asks for none. */
  readonly retryAfter: number;
}

async function post(
  url: URL,
  id: string,
  body: string,
  signers: readonly Webhook[],
  signal: AbortSignal,
): Promise<Attempt> {
  // The signature contains the time of the attempt, so that the endpoint can reject old ones.
  const now = new Date();
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': `corridor-sdk/${version} corridor-follow`,
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': signers.map((signer) => signer.sign(id, now, body)).join(' '),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    const { status, headers } = response;
    await response.body?.cancel().catch(() => undefined);
    if (response.ok) return { isRetryable: false, retryAfter: 0 };
    const isRedirect = status >= 300 && status < 400;
    return {
      problem: `status ${status}${isRedirect ? '; redirects are not followed' : ''}`,
      isRetryable: status >= 500 || [408, 425, 429].includes(status),
      retryAfter: Number(headers.get('retry-after') ?? 0) * 1000 || 0,
    };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: problemOf(error), isRetryable: true, retryAfter: 0 };
  }
}

function problemOf(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return `no response within ${timeout / 1000} seconds`;
  return `the connection failed (${(cause as NodeJS.ErrnoException | undefined)?.code ?? name})`;
}
