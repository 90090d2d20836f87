import * as z from 'zod/mini';
import type { Customer, CustomerListParams } from '../contract/schema/customers.js';
import type { ListedPayment, PaymentListParams } from '../contract/schema/payments.js';
import { pageSize } from '../contract/schema/page.js';
import { parseTime } from '../contract/schema/time.js';
import { ConfigurationError, InvalidRequestError, NotFoundError, PermissionError } from '../errors/api.js';
import { listPages } from '../core/pagination.js';
import type { Sender, SendMode } from '../transport/call.js';
import type { TimeLeft } from '../transport/deadline.js';
import type { RequestOptions } from '../transport/request-options.js';
import type { WorkflowContext } from './context.js';
import { lookupListOf } from './lookup.js';
import { toFilterEnd, toFilterStart } from './platform-time.js';

const observe = { validation: 'observe' } as const;

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

function queryAt(at: number): PaymentListParams {
  return { createdFrom: toFilterStart(at), createdTo: toFilterEnd(at), limit: pageSize.largest };
}

/** A payment that a workflow has seen. A field is empty if the platform returned no text. */
export type SeenPayment = readonly [id: string, createdAt: string, customerId: string];

/** Checks whether the account shows a payment, or its customer. */
export async function hasSeen(
  sender: Sender,
  [id, createdAt, customerId]: SeenPayment,
  options: RequestOptions,
  mode: SendMode = observe,
): Promise<boolean> {
  if (customerId !== '' && (await hasCustomer(sender, customerId, options, mode))) return true;
  const at = parseTime(createdAt);
  if (Number.isNaN(at)) return false;
  for await (const row of lookupListOf(sender, mode)(queryAt(at), options) as AsyncIterable<unknown>)
    if ((Object(row) as Partial<ListedPayment>).id === id) return true;
  return false;
}

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

/** Returns a payment of a page by which `hasSeen` recognizes the account. Rows can be any value. */
export function seenPayment(rows: readonly unknown[]): SeenPayment | undefined {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  for (const row of rows) {
    const { id, createdAt, customerId } = Object(row) as Partial<Record<keyof ListedPayment, unknown>>;
    const isFindable = text(customerId) !== '' || !Number.isNaN(parseTime(createdAt));
    if (text(id) !== '' && isFindable) return [text(id), text(createdAt), text(customerId)];
  }
  return undefined;
}

const otherKey = (endpoint: string): string =>
  `${endpoint}: apiKey returned the key of another organization than for the requests before: the platform shows ` +
  'none of the records that this call knows for it. Return the key of the same organization as long as a call runs, ' +
  'such as with a client for each organization';

/** What a run knows of the account that it reads. */
export interface RunAccountOptions extends CheckpointAccount {
  /** The name of the call, for errors. */
  readonly endpoint: string;
  /**
   * Checks whether the account has a record that the run, or the one that it continues, has stored. All requests of the
   * sender have the key to verify. @default whether it has `seen`, or the payment that the run has read last
   */
  readonly hasRecord?: ((sender: Sender, options: RequestOptions) => Promise<boolean>) | undefined;
  /** Whether the run can go on if a request fails, which is then logged as a warning. @default false */
  readonly isOptional?: boolean;
  /** What is wrong if the first key of the run is of another account, and the fix. */
  readonly problem?: string | undefined;
}

/**
 * The account of a run, all of whose requests have API keys of this one account: `apiKey` can be a function, which is
 * called for each request, and can return the key of another organization in the middle of the run.
 *
 * Send each request of the run with `sender`. It compares the key of each attempt with the verified ones before
 * anything is sent. The key with the fingerprint `account` is verified; without `account`, the first key is. For
 * another key, it calls `hasRecord`: if the account has the record, the key is verified, and the request is sent with
 * it; otherwise the request ends with a ConfigurationError, and nothing foreign was read. So a run that writes only
 * what `sender` has returned needs no other check.
 *
 * `verify` does the same for the current key, to fail before the first request. Store `fingerprint` with the records,
 * and pass it as `account` to the next run. If there can be records without a fingerprint, pass an empty string: then
 * the first key calls `hasRecord`, too.
 */
export class RunAccount {
  readonly sender: Sender;
  readonly #context: WorkflowContext;
  readonly #options: RunAccountOptions;
  readonly #verified = new Set<string>();
  readonly #verifying = new Map<string, Promise<void>>();
  #expected: string | undefined;
  #fingerprint: string | undefined;
  #seen: SeenPayment | undefined;
  #customerId: string | undefined;

  constructor(context: WorkflowContext, options: RunAccountOptions) {
    const { account, seen } = options;
    this.#context = context;
    this.#options = options;
    this.#seen = seen;
    this.#expected = account;
    const { sender } = context;
    this.sender = {
      ...sender,
      send: async (endpoint, input, each = {}, mode = {}) => {
        const response = await this.#send(each, mode, (own) => sender.send(endpoint, input, each, own));
        if (endpoint === 'payments.list') this.#note(response.data);
        return response;
      },
      sendPrepared: (request, each, mode = {}) =>
        this.#send(each, mode, (own) => sender.sendPrepared(request, each, own)),
    };
  }

  /** The fingerprint of the platform and of the API key that was verified last; undefined before the first request. */
  get fingerprint(): string | undefined {
    return this.#fingerprint;
  }

  /** What a checkpoint stores. */
  get checkpoint(): CheckpointAccount {
    return { account: this.#fingerprint, seen: this.#seen };
  }

  /** The context of the run, whose requests and shared reads are of this account. */
  get context(): WorkflowContext {
    const { reads } = this.#context;
    return {
      ...this.#context,
      sender: this.sender,
      reads: {
        read: async (group, reader, readRows, during) => {
          await reader.deadline.wait(this.verify(reader.options, reader.deadline), during);
          return reads.read(`${this.#fingerprint} ${group}`, reader, readRows, during);
        },
      },
    };
  }

  /** Verifies the current key. Throws a ConfigurationError if it is of another account. */
  async verify(options: RequestOptions, call?: TimeLeft): Promise<void> {
    const { authenticator } = this.#context;
    const apiKey = await authenticator.apiKey();
    if (!(await this.#isVerified(apiKey))) await this.#verify(apiKey, options, call);
  }

  /**
   * Remembers a customer of an account that may have no payment, so that another key of it can be verified. Sends a
   * request if the key can change.
   */
  async findCustomer(options: RequestOptions): Promise<void> {
    if (typeof this.#context.options.apiKey === 'string' || this.#seen !== undefined) return;
    const query: CustomerListParams = { limit: 1 };
    const [apiKey = ''] = this.#verified;
    const list = listPages(this.#senderOf(apiKey), 'customers.list', { query }, options, 'id', observe);
    // The account may have no access to customers.
    const rows: readonly unknown[] = await list.toArray({ max: 1 }).catch(() => []);
    const { id } = Object(rows[0]) as Partial<Customer>;
    if (typeof id === 'string') this.#customerId = id;
  }

  async #send<T>(options: RequestOptions, mode: SendMode, send: (mode: SendMode) => Promise<T>): Promise<T> {
    let unverified: string | undefined;
    const own = { isOptional: this.#options.isOptional === true };
    const selectKey = async (apiKey: string): Promise<string> => {
      if (await this.#isVerified(apiKey)) return apiKey;
      unverified = apiKey;
      throw new ConfigurationError('the API key is another one than that of the requests before');
    };
    try {
      return await send({ ...mode, ...own, selectKey });
    } catch (error) {
      if (unverified === undefined) throw error;
      const apiKey = unverified;
      await this.#verify(apiKey, options, mode.call);
      return send({ ...mode, ...own, selectKey: () => apiKey });
    }
  }

  async #isVerified(apiKey: string): Promise<boolean> {
    if (this.#verified.has(apiKey)) return true;
    const fingerprint = await this.#fingerprintOf(apiKey);
    if ((this.#expected ??= fingerprint) !== fingerprint) return false;
    this.#accept(apiKey, fingerprint);
    return true;
  }

  // Concurrent requests verify a key once.
  async #verify(apiKey: string, options: RequestOptions, call: TimeLeft | undefined): Promise<void> {
    const running = this.#verifying.get(apiKey) ?? this.#findRecord(apiKey, options, call);
    this.#verifying.set(apiKey, running);
    await running.finally(() => this.#verifying.delete(apiKey));
  }

  async #findRecord(apiKey: string, options: RequestOptions, call: TimeLeft | undefined): Promise<void> {
    const {
      endpoint,
      problem,
      hasRecord = (own, each) => hasSeen(own, this.#seen ?? ['', '', this.#customerId ?? ''], each),
    } = this.#options;
    const isFirst = this.#verified.size === 0;
    if (!(await hasRecord(this.#senderOf(apiKey, call), options)))
      throw new ConfigurationError((isFirst ? problem : undefined) ?? otherKey(endpoint), { endpoint });
    this.#accept(apiKey, await this.#fingerprintOf(apiKey));
  }

  #senderOf(apiKey: string, call?: TimeLeft): Sender {
    const { sender } = this.#context;
    const send: Sender['send'] = (endpoint, input, options, mode) =>
      sender.send(endpoint, input, options, { call, ...mode, selectKey: () => apiKey });
    return { ...sender, send };
  }

  #accept(apiKey: string, fingerprint: string): void {
    this.#verified.add(apiKey);
    this.#fingerprint = fingerprint;
  }

  #fingerprintOf(apiKey: string): Promise<string> {
    const { authenticator, options } = this.#context;
    return authenticator.fingerprint(apiKey, options.baseUrl);
  }

  #note(data: unknown): void {
    const { items } = Object(data) as { readonly items?: unknown };
    if (Array.isArray(items)) this.#seen = seenPayment(items) ?? this.#seen;
  }
}

/**
 * Creates the account of a run that continues from a checkpoint: another key of it shows a payment of the checkpoint or
 * its customer. A checkpoint that has seen no payment says nothing about another account.
 */
export function accountOf(context: WorkflowContext, endpoint: string, stored: CheckpointAccount = {}): RunAccount {
  const { account, seen } = stored;
  const problem =
    'the checkpoint belongs to another organization or platform: it was stored with another API key ' +
    `or baseUrl, and the platform shows neither payment ${seen?.[0]} of the checkpoint nor its customer. ` +
    'Pass the API key of its organization, or start without a checkpoint';
  return new RunAccount(context, { endpoint, account: seen && account, seen, problem });
}

/** Creates the account of a run that concerns a customer, which another key of it shows. */
export function accountOfCustomer(
  context: WorkflowContext,
  endpoint: string,
  customerId: string,
  isOptional = false,
): RunAccount {
  return new RunAccount(context, {
    endpoint,
    isOptional,
    hasRecord: (sender, options) => hasCustomer(sender, customerId, options, observe),
  });
}
