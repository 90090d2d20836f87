import { Corridor } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer, type ServeOptions } from 'corridor-sdk/mock/node';
import { expect, onTestFinished, test } from 'vitest';
import { payablePayment } from '../fixture.js';

interface ServerEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function serve(options: ServeOptions = {}): Promise<MockPlatformServer> {
  const served = await serveMockPlatform({ control: true, ...options });
  onTestFinished(() => served.close());
  return served;
}

/** Reads events until a condition holds, then closes the connection. */
async function readEvents(
  served: MockPlatformServer,
  isEnough: (events: readonly ServerEvent[]) => boolean,
  lastEventId?: string,
): Promise<readonly ServerEvent[]> {
  const stop = new AbortController();
  const response = await fetch(`${served.url}/__mock/events`, {
    signal: stop.signal,
    ...(lastEventId !== undefined && { headers: { 'last-event-id': lastEventId } }),
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events: ServerEvent[] = [];
  let text = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    events.push(...blocks.filter((block) => block.startsWith('id: ')).map(parseEvent));
    if (isEnough(events)) break;
  }
  stop.abort();
  return events;
}

function parseEvent(block: string): ServerEvent {
  const [, id = '', type = '', data = ''] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
  return { id, type, data: JSON.parse(data) as ServerEvent['data'] };
}

const requestsOf = (events: readonly ServerEvent[]): ServerEvent[] => events.filter(({ type }) => type === 'request');
const atLeast = (count: number) => (events: readonly ServerEvent[]) => requestsOf(events).length >= count;

test('the stream begins with all requests in the log and continues with later ones', async () => {
  const served = await serve();
  const corridor = new Corridor(served.clientOptions());
  await corridor.crypto.networks();

  const reading = readEvents(served, atLeast(2));
  await corridor.customers.list();

  expect((await reading).map(({ type, data }) => [type, data['endpoint']])).toEqual([
    ['reset', undefined],
    ['request', 'crypto.networks'],
    ['request', 'customers.list'],
  ]);
});

test('a reader that reconnects receives exactly the requests that it missed', async () => {
  const served = await serve();
  const corridor = new Corridor(served.clientOptions());
  await corridor.crypto.networks();
  const [, seen] = await readEvents(served, atLeast(1));
  await corridor.customers.list();
  await corridor.payments.list();

  const missed = await readEvents(served, atLeast(2), seen?.id);

  expect(missed.map(({ type, data }) => [type, data['endpoint']])).toEqual([
    ['request', 'customers.list'],
    ['request', 'payments.list'],
  ]);
});

test('a reader is informed of requests that the log dropped', async () => {
  const served = await serve({ logSize: 10 });
  const corridor = new Corridor(served.clientOptions());
  for (let count = 0; count < 15; count += 1) await corridor.crypto.networks();

  const events = await readEvents(served, (list) => list.at(-1)?.data['sequence'] === 15);

  expect(events.slice(0, 2)).toMatchObject([{ type: 'reset' }, { type: 'dropped', data: { requests: 5 } }]);
  expect(requestsOf(events).map(({ data }) => data['sequence'])).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
});

test('after a reset the stream starts again', async () => {
  const served = await serve();
  const corridor = new Corridor(served.clientOptions());
  await corridor.crypto.networks();
  const [, seen] = await readEvents(served, atLeast(1));
  served.platform.reset();
  await corridor.customers.list();

  expect(await readEvents(served, atLeast(1), seen?.id)).toMatchObject([
    { type: 'reset' },
    { type: 'request', data: { endpoint: 'customers.list' } },
  ]);
});

test('changes by the control API are reported, readings are not', async () => {
  const served = await serve();
  const reading = readEvents(served, (events) => events.some(({ type }) => type === 'changed'));
  await fetch(`${served.url}/__mock/payments.all`, { method: 'POST' });
  await fetch(`${served.url}/__mock/payments.add`, { method: 'POST' });

  expect((await reading).filter(({ type }) => type === 'changed')).toHaveLength(1);
});

test('an event has the status, the fault and the quote of a payment', async () => {
  const served = await serve();
  served.platform.faults.next('payments.create', { kind: 'reset-after-commit' });
  const params = payablePayment(served.platform);
  await expect(new Corridor(served.clientOptions()).payments.create(params)).rejects.toThrow();

  expect(requestsOf(await readEvents(served, atLeast(1)))).toMatchObject([
    { data: { status: 201, fault: 'reset-after-commit', delivery: 'reset', quoteId: params.paymentQuoteId } },
  ]);
});

test('a request whose late commit failed is sent again, and has the error in requests.get', async () => {
  let now = Date.now();
  const served = await serve({ now: () => now });
  const { platform } = served;
  platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
  const params = payablePayment(platform);
  await expect(new Corridor(served.clientOptions()).payments.create(params)).rejects.toThrow();
  platform.payments.add({ paymentQuoteId: params.paymentQuoteId });

  const reading = readEvents(served, atLeast(2));
  const [entry] = platform.requests;
  now += 60_000;
  const found = await fetch(`${served.url}/__mock/requests.get`, {
    method: 'POST',
    body: JSON.stringify([entry?.requestId]),
  });

  expect(await found.json()).toMatchObject({ request: { error: { code: 'quote_used' } } });
  const sent = requestsOf(await reading).map(({ data }) => [data['requestId'], data['error']]);
  expect(sent).toMatchObject([
    [entry?.requestId, null],
    [entry?.requestId, { code: 'quote_used' }],
  ]);
  expect(requestsOf(await readEvents(served, atLeast(1)))).toMatchObject([{ data: { error: { code: 'quote_used' } } }]);
});

test('the stream is closed to pages of other origins', async () => {
  const served = await serve();
  const response = await fetch(`${served.url}/__mock/events`, { headers: { origin: 'https://evil.example' } });
  expect(response.status).toBe(403);
});

test('the stream requires the control token off loopback', async () => {
  const served = await serve({ host: '0.0.0.0', allowedHosts: ['127.0.0.1'] });
  expect((await fetch(`${served.url}/__mock/events`, { headers: { host: 'mock' } })).status).toBe(401);
});
