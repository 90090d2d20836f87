import type { Customer, CustomerListParams } from '../contract/schema/customers.js';
import { pageSize } from '../contract/schema/pagination.js';
import { InvalidRequestError, NotFoundError, PermissionError } from '../errors/api.js';
import { listPages } from '../core/pagination.js';
import { sha256 } from '../transport/auth/token.js';
import type { Sender, SendMode } from '../transport/call.js';
import type { RequestOptions } from '../transport/request-options.js';
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

/** Checks whether the account has a customer or a payment that is stored. Sends one request if its list of customers shows one. */
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
  for (const at of stored.payments) {
    const range = { createdFrom: toFilterStart(at), createdTo: toFilterEnd(at), limit: pageSize.largest };
    if (await stored.has('payment', (await lookupListOf(sender, mode)(range, options)).items)) return true;
  }
  return false;
}
