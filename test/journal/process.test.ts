import { Corridor, MemoryJournal, type CorridorOptions, type Logger } from 'corridor-sdk';
import { createMockPlatform, type MockOrganization } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { failureOf } from '../support/failure-of.ts';

const key = { idempotencyKey: 'order-4711' } as const;

/** A served platform, whose clients know it only by its URL, as in production. */
async function serve() {
  const server = await serveMockPlatform();
  onTestFinished(() => server.close());
  const { platform } = server;
  const options: CorridorOptions = server.clientOptions();
  return { platform, options, quotes: quotesOf(platform), optionsOf: server.clientOptions };
}

/** A served account, whose API key is replaced by another one of it. Clients read it before each request. */
async function serveAccount() {
  const { platform, options, quotes } = await serve();
  let apiKey = 'first_key_of_this_account';
  const fetchAsAccount = (url: string | URL | Request, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    headers.set('x-api-key', options.apiKey as string);
    return fetch(url, { ...init, headers, duplex: 'half' } as RequestInit);
  };
  const account: CorridorOptions = { ...options, apiKey: () => apiKey, fetch: fetchAsAccount };
  return {
    platform,
    quotes,
    client: (own: CorridorOptions = {}) => new Corridor({ ...account, ...own }),
    firstKey: apiKey,
    replaceKey(newKey = 'second_key_of_this_account') {
      apiKey = newKey;
    },
  };
}

type Account = Awaited<ReturnType<typeof serveAccount>>;

/** Returns a function that returns the same order with another quote. */
function quotesOf({ payments }: Pick<MockOrganization, 'payments'>) {
  const { customerId, beneficiaryId } = payments.createParams({ currencyCode: 'USD' });
  return () => payments.createParams({ amount: '10.00', currencyCode: 'USD', customerId, beneficiaryId });
}

function logger() {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  return { warnings, logger: { debug: () => {}, error: () => {}, warn } satisfies Logger };
}

/** A signal that aborts a call when it has searched for its payment. */
function atNextList(platform: Account['platform']): AbortSignal {
  const stop = new AbortController();
  const end = platform.onRequest(({ endpoint }) => {
    if (endpoint !== 'payments.list') return;
    end();
    stop.abort();
  });
  return stop.signal;
}

/** Loses the response to an order, which is not found afterwards. */
async function lose(
  { platform, quotes }: Pick<Account, 'platform' | 'quotes'>,
  { payments }: Corridor,
  kind: 'reset' | 'reset-after-commit' = 'reset',
): Promise<void> {
  await payments.list({ limit: 1 });
  const outage = platform.faults.always('payments.list', { kind: 'status', status: 403 });
  platform.faults.next('payments.create', { kind });
  const lost = { ...key, signal: atNextList(platform), consistencyWindow: 0 };
  expect(await failureOf(payments.createOnce(quotes(), lost))).toMatchObject({ outcome: 'unknown' });
  platform.faults.remove(outage);
}

describe('clients without a journal, of one process', () => {
  test('pay a key once, also if a client is created for each call', async () => {
    const { platform, options, quotes } = await serve();
    const { payment } = await new Corridor(options).payments.createOnce(quotes(), key);
    expect(await new Corridor({ ...options }).payments.createOnce(quotes(), key)).toMatchObject({
      created: false,
      payment: { id: payment.id },
    });
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('see pending payments of each other', async () => {
    const { platform, options, quotes } = await serve();
    await lose({ platform, quotes }, new Corridor(options), 'reset-after-commit');
    expect(await new Corridor(options).payments.reconcilePending()).toMatchObject([{ status: 'created' }]);
  });

  test('pay a key once, also if one of them is of another copy of the package', async () => {
    const { platform, options, quotes } = await serve();
    await new Corridor(options).payments.createOnce(quotes(), key);
    vi.resetModules();
    const { Corridor: Copy } = await import('corridor-sdk');
    expect(Copy).not.toBe(Corridor);
    expect(await new Copy(options).payments.createOnce(quotes(), key)).toMatchObject({ created: false });
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('share nothing with clients of another API key', async () => {
    const { platform, options, quotes, optionsOf } = await serve();
    const other = platform.organization({ name: 'other' });
    await new Corridor(options).payments.createOnce(quotes(), key);
    const { payments } = new Corridor(optionsOf(other));
    expect(await payments.createOnce(quotesOf(other)(), key)).toMatchObject({ created: true });
  });

  test('share nothing with clients of another platform', async () => {
    const [one, two] = [await serve(), await serve()];
    await new Corridor(one.options).payments.createOnce(one.quotes(), key);
    expect(two.options.apiKey).toBe(one.options.apiKey);
    expect(await new Corridor(two.options).payments.createOnce(two.quotes(), key)).toMatchObject({ created: true });
    two.platform.reset();
    expect(await new Corridor(one.options).payments.createOnce(one.quotes(), key)).toMatchObject({ created: false });
  });

  describe('if one begins with a new API key before an older one has used it', () => {
    /** Two clients that have found out that their API keys are of one account. */
    async function serveMerged(beforeMerge?: (account: Account, stale: Corridor) => Promise<void>) {
      const account = await serveAccount();
      const { quotes, client, replaceKey, firstKey } = account;
      const [old, stale] = [client(), client({ apiKey: firstKey })];
      await old.payments.createOnce(quotes(), { idempotencyKey: 'order-1' });
      await beforeMerge?.(account, stale);
      replaceKey();
      const recent = client();
      await recent.payments.createOnce(quotes(), { idempotencyKey: 'order-2' });
      await old.payments.createOnce(quotes(), { idempotencyKey: 'order-3' });
      return { ...account, clients: { old, recent, stale, another: client() } };
    }

    test('pay each key once', async () => {
      const { platform, quotes, clients } = await serveMerged();
      for (const [name, { payments }] of Object.entries(clients))
        for (const idempotencyKey of ['order-1', 'order-2', 'order-3'])
          expect(await payments.createOnce(quotes(), { idempotencyKey }), `${name}, ${idempotencyKey}`).toMatchObject({
            created: false,
          });
      for (const [name, { payments }] of Object.entries(clients)) {
        await payments.createOnce(quotes(), { idempotencyKey: name });
        for (const other of Object.values(clients))
          expect(await other.payments.createOnce(quotes(), { idempotencyKey: name })).toMatchObject({ created: false });
      }
      expect(platform.payments.all()).toHaveLength(7);
    });

    test.each([0, 1])('keep the key of a call in flight when the other call ends (%i)', async (ended) => {
      const { platform, quotes, client, replaceKey } = await serveAccount();
      const holds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const calls: Promise<unknown>[] = [];
      const old = client();
      for (const [index, { payments }] of [old, client()].entries()) {
        if (index === 1) replaceKey();
        await new Promise<void>((begun) => {
          const onIntent = () => (begun(), holds[index]?.promise);
          calls.push(payments.createOnce(quotes(), { ...key, onIntent }).catch(() => {}));
        });
      }
      await old.payments.reconcilePending();
      holds[ended]?.reject(new Error('stopped'));
      await calls[ended];
      const { payments } = client({ hooks: { onRequest: () => holds[1 - ended]?.resolve() } });
      expect(await payments.createOnce(quotes(), key)).toMatchObject({ created: false });
      expect(platform.payments.all()).toHaveLength(1);
    });

    test('pay each key once after the next replacement, too', async () => {
      const { platform, quotes, client, replaceKey, firstKey } = await serveAccount();
      let ownKey = firstKey;
      const [old, idle, stale] = [client(), client({ apiKey: () => ownKey }), client({ apiKey: firstKey })];
      for (const { payments } of [old, idle, stale]) await payments.createOnce(quotes(), key);
      for (const [index, newKey] of ['second_key_of_this_account', 'third_key_of_this_account'].entries()) {
        replaceKey(newKey);
        await client().payments.createOnce(quotes(), { idempotencyKey: `order-${index}` });
        await old.payments.reconcilePending();
      }
      ownKey = 'fourth_key_of_this_account';
      for (const { payments } of [stale, idle, client({ apiKey: ownKey })])
        for (const idempotencyKey of ['order-1', 'order-0', key.idempotencyKey])
          expect(await payments.createOnce(quotes(), { idempotencyKey })).toMatchObject({ created: false });
      expect(platform.payments.all()).toHaveLength(3);
    });

    test('see what was pending before', async () => {
      const { platform, quotes, clients } = await serveMerged(lose);
      for (const { payments } of Object.values(clients)) {
        expect(await payments.reconcilePending()).toMatchObject([{ intent: key }]);
        const again = { ...key, signal: atNextList(platform), consistencyWindow: 0 };
        expect(await failureOf(payments.createOnce(quotes(), again))).toMatchObject({
          outcome: 'unknown',
          intent: key,
        });
      }
    });

    test('store what was being sent before', async () => {
      const { promise: isStored, resolve: store } = Promise.withResolvers<void>();
      let sending: Promise<unknown> | undefined;
      const { platform, quotes, clients } = await serveMerged(async ({ quotes: own }, { payments }) => {
        await new Promise<void>((onIntent) => {
          sending = payments.createOnce(own(), { ...key, onIntent: () => (onIntent(), isStored) });
        });
      });
      store();
      expect(await sending).toMatchObject({ created: true });
      for (const { payments } of Object.values(clients)) {
        expect(await payments.reconcilePending()).toEqual([]);
        expect(await payments.createOnce(quotes(), key)).toMatchObject({ created: false });
      }
      expect(platform.payments.all()).toHaveLength(4);
    });
  });

  test('send nothing if the API key cannot be read', async () => {
    const { platform, options, quotes } = await serve();
    const { payments } = new Corridor({ ...options, apiKey: () => Promise.reject(new Error('vault')) });
    expect(await failureOf(payments.createOnce(quotes(), key))).toMatchObject({ code: 'signing', outcome: 'not-sent' });
    expect(platform.requests.to('payments.create')).toHaveLength(0);
  });

  test('report once, at the first key, that it is lost with the process', async () => {
    const { options, quotes } = await serve();
    const { warnings, logger: log } = logger();
    await new Corridor({ ...options, logger: log }).payments.createOnce(quotes());
    expect(warnings).toEqual([]);
    for (const idempotencyKey of ['order-1', 'order-2'])
      await new Corridor({ ...options, logger: log }).payments.createOnce(quotes(), { idempotencyKey });
    expect(warnings).toEqual([expect.stringMatching(/no journal.*lost when the process ends.*SqliteJournal/)]);
  });

  test('report it once, although their API key is replaced', async () => {
    const { quotes, client, replaceKey } = await serveAccount();
    const { warnings, logger: log } = logger();
    const { payments } = client({ logger: log });
    await payments.createOnce(quotes(), { idempotencyKey: 'order-1' });
    replaceKey();
    await payments.createOnce(quotes(), { idempotencyKey: 'order-2' });
    expect(warnings).toHaveLength(1);
  });

  test('report nothing if a journal is passed, and ignore a logger that throws', async () => {
    const { options, quotes } = await serve();
    const { warnings, logger: log } = logger();
    const { payments } = new Corridor({ ...options, logger: log, journal: new MemoryJournal() });
    await payments.createOnce(quotes(), { idempotencyKey: 'order-1' });
    expect(warnings).toEqual([]);
    const warn = (): never => {
      throw new Error('full');
    };
    const throwing = new Corridor({ ...options, logger: { ...log, warn } });
    expect(await throwing.payments.createOnce(quotes(), { idempotencyKey: 'order-2' })).toMatchObject({
      created: true,
    });
  });
});

describe('clients of a mock platform without a journal', () => {
  test('share nothing with those of another mock platform of the same URL and API key', async () => {
    const [one, two] = [createMockPlatform(), createMockPlatform()];
    expect(two.clientOptions()).toMatchObject({
      baseUrl: one.clientOptions().baseUrl,
      apiKey: one.clientOptions().apiKey,
    });
    for (const platform of [one, two]) {
      const quotes = quotesOf(platform);
      const create = () => new Corridor(platform.clientOptions()).payments.createOnce(quotes(), key);
      expect(await create()).toMatchObject({ created: true });
      expect(await create()).toMatchObject({ created: false });
    }
  });

  test('start anew after the platform was reset', async () => {
    const platform = createMockPlatform();
    const old = new Corridor(platform.clientOptions());
    for (let round = 0; round < 2; round += 1) {
      const quotes = quotesOf(platform);
      expect(await old.payments.createOnce(quotes(), key)).toMatchObject({ created: true });
      const { payments } = new Corridor(platform.clientOptions());
      expect(await payments.createOnce(quotes(), key)).toMatchObject({ created: false });
      platform.reset();
    }
  });
});
