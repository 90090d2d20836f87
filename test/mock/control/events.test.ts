import { request as httpRequest } from 'node:http';
import { Corridor } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer, type ServeOptions } from 'corridor-sdk/mock/node';
import { expect, onTestFinished, test } from 'vitest';
import { payablePayment } from '../fixture.ts';

async function serve(options: ServeOptions = {}): Promise<MockPlatformServer> {
  const served = await serveMockPlatform({ control: true, ...options });
  onTestFinished(() => served.close());
  return served;
}

/** Connects to the events of a server, and returns a function that waits for the next one. */
async function follow(served: MockPlatformServer): Promise<() => Promise<string>> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${served.url}/__mock/events`, { signal: stop.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<string> => {
    while (!text.includes('\n\n')) text += (await reader.read()).value ?? '';
    const end = text.indexOf('\n\n') + 2;
    const block = text.slice(0, end);
    text = text.slice(end);
    return block.startsWith(':') ? next() : block;
  };
  while (!text.includes(': connected\n\n')) text += (await reader.read()).value ?? '';
  return next;
}

const call = async <T>(served: MockPlatformServer, name: string, ...args: readonly unknown[]): Promise<T> => {
  const response = await fetch(`${served.url}/__mock/${name}`, { method: 'POST', body: JSON.stringify(args) });
  return (await response.json()) as T;
};

test('a request and a change by the control API are reported, a reading is not', async () => {
  const served = await serve();
  const next = await follow(served);

  await new Corridor(served.clientOptions()).crypto.networks();
  expect(await next()).toBe('event: changed\ndata: {}\n\n');
  await call(served, 'payments.all');
  const pending = next();
  expect(await Promise.race([pending, call(served, 'payments.all').then(() => 'no event')])).toBe('no event');
  await call(served, 'payments.add');
  expect(await pending).toBe('event: changed\ndata: {}\n\n');
});

test('a late commit that failed is reported, and its request has the error', async () => {
  let now = Date.now();
  const served = await serve({ now: () => now });
  const { platform } = served;
  platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
  const params = payablePayment(platform);
  await expect(new Corridor(served.clientOptions()).payments.create(params)).rejects.toThrow();
  platform.payments.add({ paymentQuoteId: params.paymentQuoteId });
  const next = await follow(served);

  now += 60_000;
  // A reading runs what is due.
  const found = await call(served, 'requests.search', { quoteId: params.paymentQuoteId });

  await next();
  expect(found).toMatchObject({ count: 1, records: [{ status: 'reset', error: 'quote_used' }] });
});

test('the events are closed to pages of other origins', async () => {
  const served = await serve();
  const response = await fetch(`${served.url}/__mock/events`, { headers: { origin: 'https://evil.example' } });
  expect(response.status).toBe(403);
});

test('the events require the control token off loopback', async () => {
  const served = await serve({ host: '0.0.0.0', allowedHosts: ['127.0.0.1'] });
  expect((await fetch(`${served.url}/__mock/events`, { headers: { host: 'mock' } })).status).toBe(401);
});

interface Received {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly size: number;
}

/** Calls the control API, and returns the response as it was sent, which `fetch` decompresses. */
function receive(
  served: MockPlatformServer,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    httpRequest(`${served.url}/__mock/${name}`, { method: 'POST', headers }, (response) => {
      let size = 0;
      response.on('data', (part: Buffer) => (size += part.length));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, size }));
    })
      .on('error', reject)
      .end();
  });
}

test('a response is compressed for clients that accept it, and not sent to one that already has it', async () => {
  const served = await serve();
  served.platform.payments.addMany(50);

  const plain = await receive(served, 'payments.all', {});
  const compressed = await receive(served, 'payments.all', { 'accept-encoding': 'gzip, br' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect(compressed.size).toBeLessThan(plain.size / 4);
  expect(await receive(served, 'payments.all', { 'accept-encoding': 'gzip;q=0' })).toMatchObject({ size: plain.size });

  const known = { 'if-none-match': String(plain.headers['etag']) };
  expect(await receive(served, 'payments.all', known)).toMatchObject({ status: 304, size: 0 });
  served.platform.payments.add();
  expect(await receive(served, 'payments.all', known)).toMatchObject({ status: 200 });
});
