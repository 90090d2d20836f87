import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { CommandError, UsageError } from './command.js';
import { toPrintable } from './print/text.js';
import type { Output } from './terminal.js';
import { parseRetryAfter } from '../contract/http-date.js';
import type { PaymentWebhookEvent } from '../index.js';
import { version } from '../version.js';

const timeout = 30_000;
const [firstDelay, maxDelay] = [1_000, 300_000];
const minSecretBytes = 24;

/** Where and how to post events. */
export interface WebhookOptions {
  readonly url: URL;
  /** One for each secret: during a rotation there are two. */
  readonly signers: readonly Webhook[];
  readonly maxAttempts: number;
  /** Receives a line for each failed attempt. */
  readonly notes: Output;
}

/** Parses the URL of an endpoint. Throws `UsageError`. */
export function parseEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLoopback = url !== undefined && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback))
    throw new UsageError('--forward-to must be an https URL, or http on this machine: https://shop.example/webhooks');
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--forward-to must not contain a user name or password. Verify the signature instead');
  return url;
}

/** Parses secrets separated by white space, as the specification of Standard Webhooks requires. Throws `UsageError`. */
export function parseSecrets(text: string): readonly Webhook[] {
  return text
    .trim()
    .split(/\s+/)
    .map((secret) => {
      const base64 = secret.replace(/^whsec_/, '');
      const bytes = Buffer.from(base64, 'base64');
      if (bytes.length < minSecretBytes || bytes.toString('base64') !== base64)
        throw new UsageError(
          `the secret of the webhooks must be whsec_ and at least ${minSecretBytes} bytes in base64. ` +
            `Generate one with: node -p 'crypto.randomBytes(32).toString(\`base64\`)'`,
        );
      return new Webhook(base64);
    });
}

/**
 * Posts an event, with retries. Resolves to its id and the number of attempts when the endpoint returned 2xx. The id is
 * the same for each delivery of the change with this number. Throws `CommandError` if the endpoint does not accept it.
 */
export async function postWebhook(
  event: PaymentWebhookEvent,
  sequence: number,
  { url, signers, maxAttempts, notes }: WebhookOptions,
  signal: AbortSignal,
): Promise<{ readonly webhookId: string; readonly attempts: number }> {
  const { payment, previousStatus } = event.data;
  const key = JSON.stringify([payment.id, previousStatus, payment.status, sequence]);
  const id = `msg_${createHash('sha256').update(key).digest('base64url')}`;
  const name = `${event.type} of payment ${payment.id} (${payment.status})`;
  for (let attempt = 1; ; attempt += 1) {
    const { response, failure } = await post(url, event, id, signers, signal);
    if (response?.ok === true) return { webhookId: id, attempts: attempt };
    const status = response?.status ?? 0;
    const problem = failure ?? `status ${status}${`${status}`.startsWith('3') ? '; redirects are not followed' : ''}`;
    const isRetryable = failure !== undefined || status >= 500 || [408, 425, 429].includes(status);
    const retryAfterMs = parseRetryAfter(response?.headers.get('retry-after') ?? null, Date.now()) ?? 0;
    if (!isRetryable || attempt >= maxAttempts)
      throw new CommandError(
        `${url.origin} did not accept ${name} (webhook-id ${id}) ` +
          `after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}: ${problem}. No later ` +
          'event was sent. Fix the endpoint and run the command again: it continues with this event',
      );
    const backoff = Math.min(maxDelay, firstDelay * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
    const delay = Math.max(backoff, Math.min(maxDelay, retryAfterMs));
    const seconds = Math.ceil(delay / 1000);
    await notes.line(toPrintable(`${name}: attempt ${attempt} failed: ${problem}. The next one is in ${seconds} s`));
    await sleep(delay, undefined, { signal });
  }
}

/** Posts an event once. Resolves to the response, whose body is not read, or to why there is none. */
async function post(
  url: URL,
  event: PaymentWebhookEvent,
  id: string,
  signers: readonly Webhook[],
  signal: AbortSignal,
): Promise<{ readonly response?: Response; readonly failure?: string }> {
  // The signature contains the time of the attempt, so that the endpoint can reject old ones.
  const sentAt = new Date();
  const body = JSON.stringify(event);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
        'webhook-signature': signers.map((signer) => signer.sign(id, sentAt, body)).join(' '),
        'user-agent': `corridor-sdk/${version} corridor-follow`,
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    await response.body?.cancel().catch(() => undefined);
    return { response };
  } catch (error) {
    signal.throwIfAborted();
    const { name, cause } = error as Error;
    if (name === 'TimeoutError') return { failure: `no response within ${timeout / 1000} seconds` };
    const { code = name } = Object(cause) as NodeJS.ErrnoException;
    return { failure: `the connection failed (${code})` };
  }
}
