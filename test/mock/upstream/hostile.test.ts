import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { selfSigned } from '../../support/certificate.ts';
import { privateKey } from '../../support/key.ts';
import { exchangeBytes, inFrontOf, inFrontOfMock, serveBytes, serveResponses } from './fixture.ts';

const path = '/api/v1/payment';

test.each<[string, string, string]>([
  ['endless headers', `HTTP/1.1 200 OK\r\n${'x-a: 1\r\n'.repeat(10_000)}`, 'HPE_HEADER_OVERFLOW'],
  ['no HTTP', 'hello\r\n\r\n', 'HPE_INVALID_CONSTANT'],
  ['a header with a null byte', 'HTTP/1.1 200 OK\r\nx-a: \0\r\n\r\n', 'HPE_INVALID_HEADER_TOKEN'],
  [
    'two lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    'HPE_UNEXPECTED_CONTENT_LENGTH',
  ],
  ['an upgrade', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'a change of the protocol'],
  ['nothing', '', 'ECONNRESET'],
])('a platform that responds with %s is named in a 502', async (_, bytes, code) => {
  const { proxy } = await inFrontOf(await serveBytes((socket) => socket.end(bytes)));

  const response = await fetch(`${proxy.url}${path}`);

  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({
    code: 'no_response',
    message: expect.stringContaining(code) as string,
  });
});

test('a platform that is down is named in a 502, without its credentials', async () => {
  const { proxy, lastExchange } = await inFrontOf('http://127.0.0.1:9');
  const response = await fetch(`${proxy.url}${path}`, { headers: { 'x-api-key': 'key-of-acme' } });
  expect(await response.json()).toMatchObject({
    message:
      '127.0.0.1:9 did not respond to the server in front of it (ECONNREFUSED). It may have processed the request. Check the network, and the proxy if there is one.',
  });
  expect((await lastExchange()).request.error).toMatchObject({ status: 502, code: 'no_response' });
});

test('a body that is shorter than its length is cut for the client, too', async () => {
  const { proxy, lastExchange } = await inFrontOf(
    await serveBytes((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"a":')),
  );
  const response = await fetch(`${proxy.url}${path}`);
  await expect(response.text()).rejects.toThrow('terminated');
  expect((await lastExchange()).request.error).toMatchObject({ code: 'platform_closed' });
});

test('what follows a body of the announced length is no part of the response, and no other response', async () => {
  const { proxy } = await inFrontOf(
    await serveBytes((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil'),
    ),
  );
  const received = await exchangeBytes(
    proxy.url,
    `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\nGET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
  );
  expect(received).not.toContain('evil');
  expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
});

test('a page of HTML in place of JSON passes, and the contract says what it is', async () => {
  const html = '<html><title>Blocked</title></html>';
  const url = await serveResponses((_, response) => void response.setHeader('content-type', 'text/html').end(html));
  const { proxy, lastExchange } = await inFrontOf(url);

  expect(await (await fetch(`${proxy.url}${path}`)).text()).toBe(html);

  const { request, response } = await lastExchange();
  expect(request.responseIssues).toEqual([{ path: '', message: 'is text/html, but must be JSON' }]);
  expect(response?.body).toBe(html);
});

test('a page of the platform is not shown to a browser, where it would have the origin of the console', async () => {
  const { proxy, real } = await inFrontOfMock();
  const response = await exchangeBytes(
    proxy.url,
    'GET /x HTTP/1.1\r\nhost: a\r\nsec-fetch-mode: navigate\r\nconnection: close\r\n\r\n',
  );
  expect(response).toContain('page_not_passed');
  expect(real.requests).toHaveLength(0);
});

test('a certificate that nobody has signed is rejected, and nothing is sent', async () => {
  let requests = 0;
  const server = createServer({ key: privateKey, cert: selfSigned(createPrivateKey(privateKey)) }, (_, response) => {
    requests += 1;
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { proxy } = await inFrontOf(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  onTestFinished(() => void delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);

  const response = await fetch(`${proxy.url}${path}`);

  expect(await response.json()).toMatchObject({
    message: expect.stringContaining('set NODE_EXTRA_CA_CERTS') as string,
  });
  expect(requests).toBe(0);
});

test('a body of more than 32 MiB is not passed on', async () => {
  const { proxy, real } = await inFrontOfMock();
  const response = await fetch(`${proxy.url}${path}`, { method: 'POST', body: new Uint8Array(32 * 1024 * 1024 + 1) });
  expect([response.status, real.requests.length]).toEqual([413, 0]);
});

test.each([
  ['gzip that is none', { 'content-encoding': 'gzip', 'content-type': 'application/json' }, 'no gzip'],
  ['JSON that is none', { 'content-type': 'application/json' }, '{"items":'],
  ['deep JSON', { 'content-type': 'application/json' }, '['.repeat(50_000)],
  ['a list of nothing', { 'content-type': 'application/json' }, '{"items":[null,1,"x",[]],"nextCursor":{}}'],
])('%s passes unchanged', async (_, headers, body) => {
  const url = await serveResponses((_request, response) => void response.writeHead(200, headers).end(body));
  const { proxy } = await inFrontOf(url);
  const received = await exchangeBytes(proxy.url, `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
  expect(received).toContain(body);
  expect(received).toMatch(/^HTTP\/1\.1 200/);
});
