import { numberFrom, optionsObject } from '../contract/option-schemas.js';
import { formatIssues } from '../contract/issue.js';
import { describeType } from '../contract/describe.js';
import { enumOf, memoize, nullable, statusOf, strictObject, timestamp } from '../contract/schema/schema.js';
import { listedPayment, paymentStatuses } from '../contract/schema/payments.js';
import { validateRequest, validateResponse } from '../contract/violations.js';
import { webCrypto } from '../contract/web-crypto.js';
import { isBytes } from '../contract/objects.js';
import { ConfigurationError } from '../errors/api.js';
import type { PaymentWebhookEvent } from '../index.js';
import { decodeBase64, importSecrets, type WebhookKey } from './secret.js';

export type { PaymentWebhookEvent };

/** A verified event. */
export interface VerifiedWebhookEvent extends PaymentWebhookEvent {
  /** The header `webhook-id`: the same for each delivery of a change, so that you can process each once. */
  readonly id: string;
}

/** The headers of a request: a `Headers`, or an object such as `request.headers` of Node. Names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How a webhook is verified. */
export interface VerifyWebhookOptions {
  /** The largest difference between the time of the signature and now, in seconds. @default 300 */
  readonly tolerance?: number | undefined;
}

/** The id and the time of a webhook. */
export interface SignWebhookOptions {
  /** The header `webhook-id`. @default a random one */
  readonly id?: string | undefined;
  /** When it is sent, which is part of the signature. @default now */
  readonly sentAt?: Date | undefined;
}

/** A signed webhook: what `fetch` sends, or `inject` of a test. */
export interface SignedWebhook {
  /** The event as JSON. The signature is that of exactly this text. */
  readonly body: string;
  /** The headers with the id, the time and the signature. */
  readonly headers: {
    readonly 'content-type': 'application/json';
    readonly 'webhook-id': string;
    readonly 'webhook-timestamp': string;
    readonly 'webhook-signature': string;
  };
}

/**
 * A request is not a webhook of this sender: respond with status 401. The message contains no secret and no data.
 */
export class WebhookVerificationError extends Error {
  /** @internal */
  constructor(problem: string) {
    super(`the webhook is not verified: ${problem}`);
  }
}
Object.defineProperty(WebhookVerificationError.prototype, 'name', { value: 'WebhookVerificationError' });

const verifyOptions = memoize(() => optionsObject<VerifyWebhookOptions>({ tolerance: numberFrom(0) }));

const paymentEvent = memoize(() =>
  strictObject<PaymentWebhookEvent>({
    type: enumOf(['payment.created', 'payment.status_changed']),
    timestamp: timestamp(),
    data: strictObject<PaymentWebhookEvent['data']>({
      payment: listedPayment(),
      previousStatus: nullable(statusOf(paymentStatuses)),
    }),
  }),
);

/**
 * Verifies a webhook that `corridor follow --forward-to` posted, and returns its event. `secret` is
 * `CORRIDOR_WEBHOOK_SECRET` of the sender: `whsec_` and base64, or two of them, separated by a space, during a rotation.
 *
 * @param body The text or bytes of the request, exactly as received: not parsed JSON.
 * @throws WebhookVerificationError if a header is missing, the signature is wrong, it is older or newer than
 * `tolerance`, or the body is no event. Respond with 401.
 * @throws ConfigurationError if the secret or an option is invalid, or the body is already parsed.
 * @example
 * ```ts
 * import { signWebhook, verifyWebhook, WebhookVerificationError } from 'corridor-sdk/webhooks';
 *
 * export async function receive(request: Request, secret: string): Promise<Response> {
 *   try {
 *     const event = await verifyWebhook(await request.text(), request.headers, secret);
 *     console.log(event.id, event.type, event.data.payment.status);
 *     return new Response(null, { status: 204 });
 *   } catch (error) {
 *     if (error instanceof WebhookVerificationError) return new Response(error.message, { status: 401 });
 *     throw error;
 *   }
 * }
 * ```
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyWebhookOptions = {},
): Promise<VerifiedWebhookEvent> {
  const issues = validateRequest(verifyOptions(), options);
  if (issues.length > 0) throw new ConfigurationError(`verifyWebhook: ${formatIssues(issues, 'options')}`);
  if (typeof body !== 'string' && !isBytes(body))
    throw new ConfigurationError(
      `verifyWebhook: body must be the text or bytes of the request (received ${describeType(body)}). ` +
        `Pass it as received, before JSON is parsed`,
    );
  const keys = await importSecrets(secret);
  const [id, sentAt, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  const seconds = /^\d{1,12}$/.test(sentAt) ? Number(sentAt) : Number.NaN;
  // NaN is not within the tolerance.
  if (!(Math.abs(Date.now() / 1000 - seconds) <= (options.tolerance ?? 300)))
    throw new WebhookVerificationError('webhook-timestamp is too old or too new. Check the clock of this machine');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  if (!(await isSigned(signedBytes(id, sentAt, text), signatures, keys)))
    throw new WebhookVerificationError(
      'no signature matches. Check the secret, and that the body is passed exactly as received',
    );
  return { ...parseEvent(text), id };
}

/**
 * Signs an event as `corridor follow --forward-to` does, to test your endpoint.
 *
 * @throws ConfigurationError if the secret is invalid.
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * import { Corridor } from 'corridor-sdk';
 * import { signWebhook, verifyWebhook } from 'corridor-sdk/webhooks';
 *
 * const platform = createMockPlatform();
 * platform.payments.add({ status: 'COMPLETED' });
 * const [payment] = await new Corridor(platform.clientOptions()).payments.list().toArray({ max: 1 });
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
 * if (payment !== undefined) {
 *   const data = { payment, previousStatus: null };
 *   const event = { type: 'payment.created', timestamp: payment.updatedAt, data } as const;
 *   const { body, headers } = await signWebhook(event, secret);
 *   console.log((await verifyWebhook(body, headers, secret)).data.payment.status); // COMPLETED
 * }
 * ```
 */
export async function signWebhook(
  event: PaymentWebhookEvent,
  secret: string,
  { id = `msg_${webCrypto().randomUUID()}`, sentAt = new Date() }: SignWebhookOptions = {},
): Promise<SignedWebhook> {
  const body = JSON.stringify(event);
  const seconds = String(Math.floor(sentAt.getTime() / 1000));
  const bytes = signedBytes(id, seconds, body);
  const signatures = (await importSecrets(secret)).map(async (key) => {
    const signature = new Uint8Array(await webCrypto().subtle.sign('HMAC', key, bytes));
    return `v1,${btoa(String.fromCharCode(...signature))}`;
  });
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': (await Promise.all(signatures)).join(' '),
    },
  };
}

const signedBytes = (id: string, seconds: string, body: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${id}.${seconds}.${body}`);

/** Checks whether one of the signatures is that of one of the keys, in constant time. */
async function isSigned(
  bytes: Uint8Array<ArrayBuffer>,
  signatures: string,
  keys: readonly WebhookKey[],
): Promise<boolean> {
  for (const signature of signatures.split(' ')) {
    const decoded = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined;
    if (decoded === undefined) continue;
    for (const key of keys) if (await webCrypto().subtle.verify('HMAC', key, decoded, bytes)) return true;
  }
  return false;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value: unknown =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries<unknown>(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`the header ${name} is missing`);
}

function parseEvent(text: string): PaymentWebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    throw new WebhookVerificationError('its body is not JSON');
  }
  const problems = validateResponse(paymentEvent(), event).filter(({ breaking }) => breaking);
  if (problems.length > 0)
    throw new WebhookVerificationError(`its body is not an event of a payment: ${formatIssues(problems, 'the body')}`);
  return event as PaymentWebhookEvent;
}
