import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, test } from 'vitest';
import { exchangeBytes, inFrontOf, inFrontOfMock, serveBytes, serveResponses } from './fixture.ts';

test('a client with the keys of the platform works through the server in front of it', async () => {
  const { corridor, real } = await inFrontOfMock();

  const { id } = await corridor.payments.create(real.payments.createParams());

  expect(real.payments.all().map((payment) => payment.id)).toEqual([id]);
  expect(await corridor.payments.list().toArray()).toHaveLength(1);
});

test('the head and the body arrive byte for byte, except for the host and the headers of the connection', async () => {
  const heads: string[] = [];
  const url = await serveBytes((socket, head) => {
    heads.push(head);
    socket.end(
      'HTTP/1.1 200 Fine\r\nX-One: 1\r\nX-ONE: 2\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\n\r\nok',
    );
  });
  const { proxy } = await inFrontOf(url);

  const response = await exchangeBytes(
    proxy.url,
    'POST /api/v1/payment?a=%2F&b=+&a=1 HTTP/1.1\r\nHost: console.example\r\nX-Api-Key: key-of-acme\r\n' +
      'Authorization: Bearer a.b.c\r\nx-Trace: \xe9\r\nx-trace: 2\r\nConnection: close, x-hop\r\nX-Hop: 1\r\n' +
      'Content-Length: 11\r\n\r\n{ "a": 1.0}',
  );

  expect(heads).toEqual([
    `POST /api/v1/payment?a=%2F&b=+&a=1 HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX-Api-Key: key-of-acme\r\n` +
      'Authorization: Bearer a.b.c\r\nx-Trace: \xe9\r\nx-trace: 2\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{ "a": 1.0}',
  ]);
  expect(response).toMatch(
    /^HTTP\/1\.1 200 Fine\r\nX-One: 1\r\nX-ONE: 2\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok$/,
  );
});

test('the path of the base URL stays in what is signed', async () => {
  const served = await serveMockPlatform();
  const { pathname } = new URL('/partners/acme', served.url);
  const url = await serveResponses((request, response) => void response.end(JSON.stringify({ url: request.url })));
  const { proxy, lastExchange } = await inFrontOf(`${url}${pathname}`);

  const response = await fetch(`${proxy.clientOptions().baseUrl}/api/v1/crypto/networks`);

  expect(proxy.clientOptions().baseUrl).toBe(`${proxy.url}/partners/acme`);
  expect(await response.json()).toEqual({ url: '/partners/acme/api/v1/crypto/networks' });
  expect((await lastExchange()).request).toMatchObject({
    endpoint: 'crypto.networks',
    path: '/api/v1/crypto/networks',
  });
  await served.close();
});

test('a redirect to another host is passed back, and the host is not contacted', async () => {
  let requests = 0;
  const other = await serveResponses((_, response) => void response.end(String((requests += 1))));
  const url = await serveResponses((_, response) => void response.writeHead(307, { location: `${other}/x` }).end());
  const { proxy } = await inFrontOf(url);

  const response = await fetch(`${proxy.url}/api/v1/payment`, { method: 'POST', body: '{}', redirect: 'manual' });

  expect([response.status, response.headers.get('location'), requests]).toEqual([307, `${other}/x`, 0]);
});

test.each(['GET http://127.0.0.1:9/x', 'CONNECT 127.0.0.1:9', 'OPTIONS *'])(
  'no other host is contacted for %s',
  async (start) => {
    const { proxy, real } = await inFrontOfMock();
    const response = await exchangeBytes(proxy.url, `${start} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(response).toMatch(/^$|^HTTP\/1\.1 400 .*"code":"not_a_path"/s);
    expect(real.requests).toHaveLength(0);
  },
);

test('a stream arrives part by part', async () => {
  const last = Promise.withResolvers<void>();
  const url = await serveResponses((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: first\n\n');
    last.promise.then(() => response.end('data: last\n\n'), undefined);
  });
  const { proxy } = await inFrontOf(url);

  const { body } = await fetch(`${proxy.url}/events`);

  const parts: string[] = [];
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    parts.push(part);
    last.resolve();
  }
  expect(parts).toEqual(['data: first\n\n', 'data: last\n\n']);
});

test('20 MB pass as a stream: the platform waits for a client that reads slowly', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 'a b');
  let written = 0;
  const url = await serveResponses(async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 20 * chunk.length });
    for (let count = 0; count < 20; count += 1) {
      if (!response.write(chunk)) await once(response, 'drain');
      written += chunk.length;
    }
    response.end();
  });
  const { proxy, lastExchange } = await inFrontOf(url);
  const { get } = await import('node:http');
  const [response] = (await once(get(`${proxy.url}/file`), 'response')) as [IncomingMessage];
  let before = 0;
  const isWaiting = (): boolean => written > 0 && before === (before = written);
  await expect.poll(isWaiting, { interval: 100 }).toBe(true);
  const whileWaiting = written;

  const hash = createHash('sha256');
  for await (const part of response as AsyncIterable<Buffer>) hash.update(part);

  expect(whileWaiting).toBeLessThan(12 * chunk.length);
  expect(hash.digest('hex')).toBe(
    createHash('sha256')
      .update(Buffer.alloc(20 * chunk.length, chunk))
      .digest('hex'),
  );
  expect((await lastExchange()).response).toMatchObject({ body: null, bodySize: 20 * chunk.length });
});

test('a client that closes its connection ends the request to the platform', async () => {
  const ended = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const url = await serveResponses((request) => {
    request.once('close', () => ended.resolve());
    began.resolve();
  });
  const { proxy, lastExchange } = await inFrontOf(url);
  const client = new AbortController();
  const sent = fetch(`${proxy.url}/api/v1/payment`, { signal: client.signal });
  await began.promise;

  client.abort();

  await expect(sent).rejects.toThrow('aborted');
  await ended.promise;
  await expect.poll(async () => (await lastExchange())?.request.error).toMatchObject({ code: 'client_closed' });
});

test('500 exchanges at once', async () => {
  const { real, client, proxy } = await inFrontOfMock();
  const customer = real.customers.add();
  const corridor = client({ concurrency: 1000 });

  const found = await Promise.all(Array.from({ length: 500 }, () => corridor.customers.get(customer.id)));

  expect(new Set(found.map(({ id }) => id))).toEqual(new Set([customer.id]));
  expect(proxy.platform.requests.filter(({ status }) => status === 200)).toHaveLength(500);
});

test.each([
  ['https://user:secret@sandbox.example', 'credentials'],
  ['http://sandbox.example', 'http to another machine'],
  ['https://sandbox.example?a=1', 'a query'],
  ['sandbox.example', 'no scheme'],
])('rejects the upstream %s, which has %s', async (upstream) => {
  const error = await serveMockPlatform({ upstream }).catch(String);
  expect(error).toContain('upstream must be an https URL without credentials');
  expect(error).not.toContain('secret');
});
