import * as z from 'zod/mini';
import type { Customer, CustomerListParams } from '../contract/schema/customers.js';
import type { ListedPayment, PaymentListParams } from '../contract/schema/payments.js';
import { pageSize } from '../contract/schema/page.js';
import { parseTime } from '../contract/schema/time.js';
import { ConfigurationError, InvalidRequestError, NotFoundError, PermissionError } from '../errors/api.js';
import { listPages } from '../core/pagination.js';
import { sha256 } from '../contract/web-crypto.js';
import type { Sender, SendMode } from '../transport/call.js';
import type { RequestOptions } from '../transport/request-options.js';
import type { WorkflowContext } from './context.js';
import { lookupListOf } from './lookup.js';
import { toFilterEnd, toFilterStart } from './platform-time.js';

/** Returns a text that is equal for equal API keys, and from which the key cannot be computed. */
export async function fingerprintOf(apiKey: string): Promise<string> {
  return (await sha256(`corridor-sdk account: ${apiKey}`)).slice(0, 16);
}

/** Checks whether the account has a customer. Other errors than that it has none are thrown. */
export async function hasCustomer(
  sender: Sender,
  id: string,
  options: RequestOptions,
  mode: SendMode,
): Promise<boolean> {
  try {
    const { data } = await sender.send('customers.get', { ids: { id } }, options, mode);
    return (Object(data) as Partial<Customer>).id === id;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof PermissionError) return false;
    // No path can contain the id.
    if (error instanceof InvalidRequestError) return false;
    throw error;
  }
}

/** The records of an account, as they were stored. */
export interface StoredRecords {
  /** The ids of some customers. */
  readonly customers: readonly string[];
  /** The creation times of some payments, in milliseconds since the epoch. */
  readonly payments: readonly number[];
  /** Checks whether one of these rows of a list is stored. */
  has(record: 'customer' | 'payment', rows: readonly unknown[]): Promise<boolean>;
}

/**
 * Checks whether the account has a customer or a payment that is stored. Sends one request if its list of customers
 * shows one.
 */
export async function hasStoredRecord(
  sender: Sender,
  stored: StoredRecords,
  options: RequestOptions,
  mode: SendMode,
): Promise<boolean> {
  const query: CustomerListParams = { limit: pageSize.largest };
  const { items } = await listPages(sender, 'customers.list', { query }, options, 'id', mode);
  if (await stored.has('customer', items)) return true;
  for (const id of stored.customers) if (await hasCustomer(sender, id, options, mode)) return true;
  const lookup = lookupListOf(sender, mode);
  for (const at of stored.payments)
    if (await stored.has('payment', (await lookup(queryAt(at), options)).items)) return true;
  return false;
}

function queryAt(at: number): PaymentListParams {
  return { createdFrom: toFilterStart(at), createdTo: toFilterEnd(at), limit: pageSize.largest };
}

/** A payment that a workflow has seen. A field is empty if the platform returned no text. */
export type SeenPayment = readonly [id: string, createdAt: string, customerId: string];

/** The account of a checkpoint. Both are absent in a checkpoint of an older version. */
export interface CheckpointAccount {
  /** The fingerprint of the platform and the API key. */
  readonly account?: string | undefined;
  /** One of the payments that were seen, to recognize the organization when its API key is another one. */
  readonly seen?: SeenPayment | undefined;
}

/** The fields of a `CheckpointAccount`. */
export const accountShape = () => ({
  account: z.optional(z.string()),
  seen: z.optional(z.array(z.string()).check(z.length(3)) as unknown as z.ZodMiniType<SeenPayment>),
});

/** Returns a payment of a page. Rows can be any value. */
export function seenPayment(rows: readonly unknown[]): SeenPayment | undefined {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  for (const row of rows) {
    const { id, createdAt, customerId } = Object(row) as Partial<Record<keyof ListedPayment, unknown>>;
    if (text(id) !== '') return [text(id), text(createdAt), text(customerId)];
  }
  return undefined;
}

/**
 * Verifies that a checkpoint belongs to the account: by the platform and the API key, or by a payment of the checkpoint
 * or its customer, which another key of the organization shows, too. Returns the fingerprint of the account, and
 * whether the checkpoint holds for it: one that has seen no payment says nothing about another account.
 */
export async function verifyCheckpoint(
  { authenticator, sender, options: { baseUrl } }: Pick<WorkflowContext, 'authenticator' | 'sender' | 'options'>,
  endpoint: string,
  { account: stored, seen }: CheckpointAccount,
  options: RequestOptions,
): Promise<{ readonly account: string; readonly isValid: boolean }> {
  const account = await fingerprintOf(`${baseUrl} ${await authenticator.apiKey()}`);
  if (stored === undefined || stored === account) return { account, isValid: true };
  if (seen === undefined) return { account, isValid: false };
  const [id, createdAt, customerId] = seen;
  const mode = { validation: 'observe' } as const;
  if (customerId !== '' && (await hasCustomer(sender, customerId, options, mode))) return { account, isValid: true };
  const at = parseTime(createdAt);
  const rows: AsyncIterable<unknown> | [] = Number.isNaN(at) ? [] : lookupListOf(sender)(queryAt(at), options);
  for await (const row of rows)
    if ((Object(row) as Partial<ListedPayment>).id === id) return { account, isValid: true };
  throw new ConfigurationError(
    'the checkpoint belongs to another organization or platform: it was stored with another API key ' +
      `or baseUrl, and the platform shows neither payment ${id} of the checkpoint nor its customer. ` +
      'Pass the API key of its organization, or start without a checkpoint',
    { endpoint },
  );
}
