import { createSign } from 'node:crypto';
import { format, inspect } from 'node:util';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { Corridor, type CorridorOptions, PaymentOutcomeUnknownError } from 'corridor-sdk';
import { FaultServer, json, networks, paymentRequest, type Answerer } from '../reliability/fault-server.js';
import { privateKey } from '../reliability/key.js';
import { VirtualTime } from '../reliability/virtual-time.js';

const apiKey = 'canary-api-key-8f3b2c';
const signedUrl = 'https://files.example.com/f?X-Signature=canary-signature-77';
const account = 'canary-iban-DE8937';

/** All ways in which a value gets printed or sent somewhere. */
function renderings(value: unknown): string[] {
  const texts = [String(value), inspect(value), inspect(value, { showHidden: true, depth: 20, getters: false }), format('%o', value), JSON.stringify(value) ?? ''];
  const { message, stack, cause } = value as Error;
  texts.push(String(message), String(stack), ...(cause === undefined ? [] : renderings(cause)));
  try {
    texts.push(inspect(structuredClone(value), { depth: 20 }));
  } catch {
    // Not everything can be cloned; then it cannot leak that way.
  }
  return texts;
}

const lines = privateKey.split('\n').slice(1, -2);

function expectNoSecret(value: unknown, tokens: readonly string[]): void {
  for (const text of renderings(value)) {
    for (const canary of [apiKey, 'canary-signature-77', account, lines[3] as string, ...tokens]) expect(text).not.toContain(canary);
    expect(text).not.toMatch(/Bearer (?!\[token\])|eyJ[\w-]{10,}\./);
  }
}

const echoes: Answerer = (response, { headers }) => json(response, 400, { code: `no ${apiKey}`, message: `you sent ${JSON.stringify(headers)} and ${signedUrl}`, iban: account });

const answers: readonly (readonly [name: string, answer: Answerer, options?: CorridorOptions])[] = [
  ...[300, 302, 400, 401, 403, 404, 408, 409, 410, 413, 422, 425, 429, 500, 501, 502, 503, 504].map((status): [string, Answerer] => [
    `status ${status}`,
    (response, { headers }) => json(response, status, { error: { code: 'x', message: `${headers['x-api-key']} ${headers.authorization}` }, iban: account, url: signedUrl }, { 'x-echo': String(headers['x-api-key']), location: signedUrl }),
  ]),
  ['an echo', echoes],
  ['problem+json', (response, { headers }) => json(response, 422, { type: `https://x/${headers['x-api-key']}`, detail: String(headers.authorization) })],
  ['an HTML page', (response, { headers }) => response.writeHead(502, { 'content-type': 'text/html' }).end(`<html>${JSON.stringify(headers)}</html>`)],
  ['JSON that is cut', (response, { headers }) => response.writeHead(200).end(`{"key":"${headers['x-api-key']}","iban":"${account}`)],
  ['JSON of another shape', (response, { headers }) => json(response, 200, { networks: [{ id: 1, displayName: headers.authorization, iban: account }] })],
  ['nothing', (response) => response.writeHead(200).end()],
  ['HTML for JSON', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(signedUrl)],
  ['broken UTF-8', (response) => response.writeHead(200).end(Buffer.from([0x7b, 0xff]))],
  ['too much', (response, { headers }) => response.writeHead(200).end(JSON.stringify(headers).repeat(100)), { maxResponseBytes: 100 }],
  ['a reset', (response) => response.socket?.resetAndDestroy()],
  ['a closed connection', (response) => response.socket?.end()],
  ['a body that breaks off', (response) => {
    response.writeHead(200, { 'content-length': '999' }).write('{');
    setImmediate(() => response.socket?.resetAndDestroy());
  }],
  ['silence', () => {}, { timeout: 30 }],
  ['silence until the deadline', () => {}, { deadline: 30 }],
];

describe('no secret shows', () => {
  for (const [name, answer, options] of answers) {
    it(`K2 in errors after ${name}`, async () => {
      await using server = await new FaultServer(answer).listen();
      const time = options === undefined ? new VirtualTime().options : {};
      const corridor = new Corridor({ baseUrl: server.url, apiKey, privateKey, retries: 0, ...time, ...options });
      const calls = [() => corridor.crypto.networks(), () => corridor.payments.create(paymentRequest), () => corridor.payments.list(), () => corridor.support.attachmentUrl('tic_1', 'att_1'), () => corridor.request({ method: 'POST', path: '/api/v1/x', body: {} })];
      for (const call of calls) {
        const error = await Promise.resolve(call()).then(() => undefined, (reason: unknown) => reason);
        if (error !== undefined) expectNoSecret(error, server.received.map(({ headers }) => String(headers.authorization).slice(7)));
      }
    });
  }

  it.each([
    ['an aborted call', (corridor: Corridor) => corridor.crypto.networks({ signal: AbortSignal.abort() })],
    ['a refused request', (corridor: Corridor) => corridor.payments.create({ ...paymentRequest, iban: account } as never)],
    ['a refused header', (corridor: Corridor) => corridor.crypto.networks({ headers: { authorization: `Bearer ${apiKey}` } })],
    ['a refused path', (corridor: Corridor) => corridor.request({ method: 'GET', path: `//${apiKey}` })],
    ['a download that is refused', (corridor: Corridor) => corridor.documents.download('doc_1')],
    ['a payment whose outcome is unknown', (corridor: Corridor) => corridor.payments.createOnce(paymentRequest, { settleWindow: 1 })],
  ] as const)('K2 in the error of %s', async (_name, call) => {
    await using server = await new FaultServer((response, { url }) => (url.includes('documents') ? json(response, 200, { url: `${server.url}/file?X-Signature=canary-signature-77` }) : response.socket?.resetAndDestroy())).listen();
    const corridor = new Corridor({ baseUrl: server.url, apiKey, privateKey, retries: 0 });
    const answered = server.answer;
    server.answer = (response, received, number) => (received.url.startsWith('/file') ? json(response, 403, { url: signedUrl }) : answered(response, received, number));
    const error = await Promise.resolve(call(corridor)).then(() => expect.unreachable('the call should fail'), (reason: unknown) => reason);
    expectNoSecret(error, []);
    if (error instanceof PaymentOutcomeUnknownError) expect(error.intent.request).toEqual(paymentRequest);
  });

  it.each([
    ['apiKey', { apiKey: `${apiKey}\n` }], ['apiKey', { apiKey: `${apiKey} ü` }], ['baseUrl', { baseUrl: `https://user:${apiKey}@api.example.com` }],
    ['privateKey', { privateKey: privateKey.slice(0, 700) }], ['an unknown option', { api_key: apiKey }],
  ])('K5 in the refusal of %s', async (_name, wrong) => {
    const error = await (async () => new Corridor({ baseUrl: 'https://api.example.com', apiKey: 'fine', privateKey, ...wrong } as CorridorOptions).ready())().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'configuration' });
    expectNoSecret(error, []);
  });

  it('K3 in a client, a call under way, a list and a page', async () => {
    await using server = await new FaultServer((response) => json(response, 200, { items: [], nextCursor: null, hasMore: false, networks: [] })).listen();
    const corridor = new Corridor({ baseUrl: server.url, apiKey, privateKey });
    const call = corridor.crypto.networks();
    for (const value of [corridor, { ...corridor }, call, corridor.payments.list(), await corridor.payments.list(), await call]) expectNoSecret(value, []);
  });

  it('K4 in log lines, hooks and channels, at their most verbose', async () => {
    await using server = await new FaultServer(echoes).listen();
    const seen: unknown[] = [];
    const note = (...values: unknown[]): void => void seen.push(...values);
    const channels = ['request', 'response', 'retry', 'error'].map((type) => `corridor-sdk:${type}`);
    channels.forEach((channel) => subscribe(channel, note));
    const corridor = new Corridor({ baseUrl: server.url, apiKey, privateKey, logger: { debug: note, warn: note, error: note }, hooks: { request: note, response: note, retry: note, error: note } });
    await corridor.customers.get(account).catch(() => {});
    await corridor.payments.create({ ...paymentRequest, memo: account }).catch(() => {});
    channels.forEach((channel) => unsubscribe(channel, note));
    expect(seen.length).toBeGreaterThan(10);
    expectNoSecret(seen, []);
  });

  it('K8 two clients share no headers and no tokens', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const one = new Corridor({ baseUrl: server.url, apiKey: 'key-of-one', privateKey, keyId: 'one' });
    const two = new Corridor({ baseUrl: server.url, apiKey: 'key-of-two', privateKey, keyId: 'two' });
    await Promise.all([one.crypto.networks({ headers: { 'x-mine': '1' } }), two.crypto.networks()]);
    const of = (key: string) => server.received.find(({ headers }) => headers['x-api-key'] === key);
    expect(of('key-of-one')?.headers['x-mine']).toBe('1');
    expect(of('key-of-two')?.headers['x-mine']).toBeUndefined();
  });

  it('H9 a signed URL is handed over, and never fetched with credentials', async () => {
    await using files = await new FaultServer((response) => response.end('content')).listen();
    await using server = await new FaultServer((response) => json(response, 200, { file: { href: `${files.url}/f?sig=1` } })).listen();
    const corridor = new Corridor({ baseUrl: server.url, apiKey, privateKey });
    expect((await corridor.documents.downloadUrl('doc_1')).url).toBe(`${files.url}/f?sig=1`);
    expect(files.received).toHaveLength(0);
    expect(await (await corridor.documents.download('doc_1')).text()).toBe('content');
    expect(files.received[0]?.headers).not.toHaveProperty('x-api-key');
    expect(files.received[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('a signer of the caller\'s own', () => {
  it('K7 does not show in an unhandled rejection', async () => {
    await using server = await new FaultServer(echoes).listen();
    const signer = async (bytes: Uint8Array) => createSign('sha256').update(bytes).sign(privateKey);
    const corridor = new Corridor({ baseUrl: server.url, apiKey, signer });
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const heard = new Promise<unknown>((resolve) => process.once('unhandledRejection', resolve));
    void corridor.crypto.networks().then(() => {});
    const reason = await heard;
    listeners.forEach((listener) => process.on('unhandledRejection', listener));
    expectNoSecret(reason, []);
  });
});
