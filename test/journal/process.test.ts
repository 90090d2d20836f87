import { Corridor, MemoryJournal, type CorridorOptions, type Logger } from 'corridor-sdk';
import { createMockPlatform, type MockOrganization } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { failureOf } from '../simulation/failure.js';

const key = { idempotencyKey: 'order-4711' } as const;

/** A served platform, whose clients know it only by its URL, as in production. */
async function serve() {
  const server = await serveMockPlatform();
  onTestFinished(() => server.close());
  const { platform } = server;
  const options: CorridorOptions = server.clientOptions();
  return { platform, options, quotes: quotesOf(platform), optionsOf: server.clientOptions };
}

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
    const outage = platform.faults.always('payments.list', { kind: 'status', status: 403 });
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    const lost = { ...key, totalTimeout: 1_000, consistencyWindow: 0 };
    expect(await failureOf(new Corridor(options).payments.createOnce(quotes(), lost))).toMatchObject({
      outcome: 'unknown',
    });
    platform.faults.remove(outage);
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
  });

  test('pay a key once while their API key, which a function returns, is replaced', async () => {
    const { platform, options, quotes } = await serve();
    let apiKey = 'replaced_key_of_this_account';
    const account = {
      ...options,
      apiKey: () => apiKey,
      // Both keys are those of one account.
      fetch: (url: string | URL | Request, init?: RequestInit) => {
        const headers = new Headers(init?.headers);
        headers.set('x-api-key', options.apiKey as string);
        return fetch(url, { ...init, headers, duplex: 'half' } as RequestInit);
      },
    };
    const first = new Corridor(account);
    await first.payments.createOnce(quotes(), key);
    apiKey = 'current_key_of_this_account';
    for (const client of [first, new Corridor(account)])
      expect(await client.payments.createOnce(quotes(), key)).toMatchObject({ created: false });
    expect(platform.payments.all()).toHaveLength(1);
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
    for (let round = 0; round < 2; round += 1) {
      const { payments } = new Corridor(platform.clientOptions());
      expect(await payments.createOnce(quotesOf(platform)(), key)).toMatchObject({ created: true });
      platform.reset();
    }
  });

  test('start anew after a served platform was reset', async () => {
    const { platform, options } = await serve();
    for (let round = 0; round < 2; round += 1) {
      const { payments } = new Corridor(options);
      expect(await payments.createOnce(quotesOf(platform)(), key)).toMatchObject({ created: true });
      platform.reset();
    }
  });

  test('start anew with a new platform of the same URL, also if they wrap its fetch', async () => {
    for (let round = 0; round < 2; round += 1) {
      const platform = createMockPlatform();
      const options = { ...platform.clientOptions(), fetch: ((...args) => platform.fetch(...args)) as typeof fetch };
      const { payments } = new Corridor(options);
      expect(await payments.createOnce(quotesOf(platform)(), key)).toMatchObject({ created: true });
    }
  });
});
