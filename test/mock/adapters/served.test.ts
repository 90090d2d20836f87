import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Corridor, endpointNames } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterEach, describe, expect, test } from 'vitest';
import { calls } from '../../support/calls.ts';
import { payablePayment, start } from '../fixture.ts';
import { call } from '../sign.ts';

const running: MockPlatformServer[] = [];

async function serve(options: Parameters<typeof serveMockPlatform>[0] = {}): Promise<MockPlatformServer> {
  const served = await serveMockPlatform(options);
  running.push(served);
  return served;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.close()));
});

/** Writes raw bytes to a socket and returns the response. */
function written(url: string, text: string | Uint8Array): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let received = '';
    socket
      .setEncoding('utf8')
      .on('data', (part: string) => (received += part))
      .on('error', reject)
      .on('close', () => resolve(received));
    socket.write(text);
  });
}

describe('a served platform', () => {
  test('serves every endpoint over HTTP', async () => {
    const { platform, clientOptions } = await serve({ seed: 1 });
    const corridor = new Corridor({ ...clientOptions(), validation: 'strict' });
    const payment = payablePayment(platform);
    const { customerId } = payment;
    const ticket = platform.tickets.add();
    const input: Record<string, Record<string, unknown>> = {
      'payments.create': { ...payment },
      'customers.get': { id: customerId },
      'customers.activity': { id: customerId },
      'customers.beneficiaries': { customerId, limit: 5 },
      'screening.get': { customerId, personId: platform.persons.add({ customerId }).id },
      'screening.history': { customerId, personId: platform.persons.add({ customerId }).id },
      'support.reply': { ticketId: ticket.id, bodyText: 'Hello' },
      'support.attachmentUrl': { ticketId: ticket.id, attachmentId: ticket.attachments[0]?.id },
      'documents.downloadUrl': { id: platform.documents.add().id },
      'documents.delete': { id: platform.documents.add().id },
    };
    for (const name of endpointNames) await calls[name](corridor, input[name] ?? {});
    expect(platform.requests.map(({ endpoint, status }) => `${endpoint} ${Number(status) < 300}`)).toEqual(
      endpointNames.map((name) => `${name} true`),
    );
  });

  test('listens on loopback, on a free port, and has its own URL', async () => {
    const { url, platform, clientOptions, credentials } = await serve();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(platform.baseUrl).toBe(url);
    expect(clientOptions()).toEqual({
      baseUrl: url,
      apiKey: platform.clientOptions().apiKey,
      privateKey: expect.any(Function),
      now: expect.any(Function),
    });
    expect(await credentials()).toMatchObject({ baseUrl: url, privateKey: expect.stringContaining('PRIVATE KEY') });
  });

  test('accepts a port and the options of a platform', async () => {
    const port = Number(new URL((await serve()).url).port);
    await running.pop()?.close();
    const { url, platform } = await serve({ port, seed: 7, pageSize: 3, now: () => Date.parse(start) });
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(platform.seed).toBe('7');
    const response = await fetch(url);
    expect(response.headers.get('date')).toBe('Sun, 01 Mar 2026 09:00:00 GMT');
  });

  test('rejects if its port is in use', async () => {
    const port = Number(new URL((await serve()).url).port);
    await expect(serve({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('rejects if an option is invalid, and leaves the port free', async () => {
    const port = Number(new URL((await serve()).url).port);
    await running.pop()?.close();
    await expect(serve({ port, pageSize: 0 })).rejects.toThrow('pageSize must be an integer from 1 to 100');
    await expect(serve({ port })).resolves.toMatchObject({ url: `http://127.0.0.1:${port}` });
  });

  test('serves other organizations', async () => {
    const { platform, clientOptions, credentials } = await serve();
    const acme = platform.organization();
    acme.customers.add();
    expect(await new Corridor(clientOptions(acme)).customers.list().toArray()).toHaveLength(1);
    expect(await new Corridor(clientOptions()).customers.list().toArray()).toHaveLength(0);
    expect((await credentials(acme)).apiKey).toBe(acme.clientOptions().apiKey);
  });

  test('can also be reached by the fetch of its platform', async () => {
    const { platform } = await serve();
    platform.customers.add();
    expect(await new Corridor(platform.clientOptions()).customers.list().toArray()).toHaveLength(1);
  });

  test('reports the requests that may have changed something, and not those that only read', async () => {
    let changes = 0;
    const { platform, url, clientOptions } = await serve({ control: true, onChange: () => (changes += 1) });
    const corridor = new Corridor({ ...clientOptions(), maxRetries: 0 });
    const changedBy = async (act: () => PromiseLike<unknown>): Promise<boolean> => {
      changes = 0;
      await act().then(undefined, () => undefined);
      return changes > 0;
    };
    const control = (call: string, ...args: readonly unknown[]): Promise<Response> =>
      fetch(`${url}/__mock/${call}`, { method: 'POST', body: JSON.stringify(args) });

    expect(await changedBy(() => corridor.payments.list())).toBe(false);
    expect(await changedBy(() => fetch(`${url}/__mock/payments.all`))).toBe(false);
    expect(await changedBy(() => control('snapshot'))).toBe(false);
    expect(await changedBy(() => fetch(`${url}/__mock/health`))).toBe(false);

    expect(await changedBy(() => corridor.payments.create(platform.payments.createParams()))).toBe(true);
    expect(await changedBy(() => control('clock.advance', { hours: 1 }))).toBe(true);
    const twice = { id: 'cus_twice' };
    expect(await changedBy(() => control('customers.addMany', 2, twice))).toBe(true);
    expect(platform.customers.get(twice.id)).toMatchObject(twice);
    platform.faults.next('payments.list', { kind: 'status', status: 503 });
    expect(await changedBy(() => corridor.payments.list())).toBe(true);
    expect(await changedBy(() => corridor.payments.list())).toBe(false);
  });

  test('signs download URLs of its own origin', async () => {
    const { url, platform, clientOptions } = await serve();
    const { id } = platform.documents.add({ content: Uint8Array.of(1, 2, 3), contentType: 'image/png' });
    const corridor = new Corridor(clientOptions());
    const signed = await corridor.documents.downloadUrl(id);
    expect(new URL(signed.url).origin).toBe(url);
    expect(new Uint8Array(await (await corridor.documents.download(id)).arrayBuffer())).toEqual(Uint8Array.of(1, 2, 3));
    expect((await fetch(`${signed.url}0`)).status).toBe(403);
  });

  test('accepts a token for the path as it was sent, even if URL would normalize it', async () => {
    const { url, clientOptions } = await serve();
    const options = clientOptions();
    const target = "/api/v1/customers?cursor='";
    const signed = await call<{ code: string }>(
      { ...options, fetch: (_, init) => raw(url, target, init) },
      { path: target, claims: { uri: target } },
    );
    expect(signed.body.code).toBe('invalid_cursor');
  });

  test('verifies a GET with a body against that body', async () => {
    const { url, clientOptions } = await serve();
    const { status, body } = await call<{ code: string }>(
      { ...clientOptions(), fetch: (_, init) => raw(url, '/api/v1/customers', init) },
      { path: '/api/v1/customers', text: '{}', headers: { 'content-length': '2' } },
    );
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'unexpected_body' });
  });
});

/** Sends with node:http, which does not normalize the path and allows a body with any method. */
function raw(url: string, target: string, init: RequestInit = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const request = httpRequest(url, { path: target, method: init.method ?? 'GET', headers }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .on('end', () => resolve(new Response(text, { status: response.statusCode ?? 0 })));
    });
    request.on('error', reject).end(init.body ?? undefined);
  });
}

test('an idle connection is not closed, so a test that was paused in a debugger can go on with it', async () => {
  const { url } = await serve();
  const response = await fetch(url);
  expect(response.headers.get('connection')).toBe('keep-alive');
  expect(response.headers.get('keep-alive')).toBeNull();
});

describe('close', () => {
  test('resolves although connections are kept alive', async () => {
    const { url, close } = await serve();
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve) =>
      httpRequest(url, { agent }, (response) => response.resume().on('end', resolve)).end(),
    );
    await close();
    await expect(fetch(url)).rejects.toThrow(TypeError);
    agent.destroy();
  });

  test('resolves although a request is incomplete, and can be called again', async () => {
    const { url, close } = await serve();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const ended = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
    socket.write('POST /api/v1/payment HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{');
    await new Promise((resolve) => socket.once('ready', resolve));
    await close();
    await ended;
    await close();
  });
});

describe('an invalid request', () => {
  test('gets a JSON response: 413 for a body of 5 MB', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/api/v1/payment`, { method: 'POST', body: 'x'.repeat(5_000_000) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'body_too_large' });
  });

  test('gets a JSON response: 413 for an endless body, after the limit of drained bytes', async () => {
    const { url } = await serve();
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(`${url}/api/v1/payment`, { method: 'POST' }, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      // Stop there: a client that keeps writing to a closed connection may lose the response.
      request.write(Buffer.alloc(64 * 1024 * 1024 + 1));
    });
    expect(status).toBe(413);
  });

  test.each([
    ['not HTTP', 'hello\r\n\r\n', 400],
    ['bytes', Uint8Array.of(22, 3, 1, 0, 255), 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['an unknown expectation', 'GET / HTTP/1.1\r\nhost: a\r\nexpect: foo\r\nconnection: close\r\n\r\n', 417],
  ])('is rejected by Node: %s', async (_, text, status) => {
    const { url } = await serve();
    expect(await written(url, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await fetch(url)).status).toBe(401);
  });

  test.each([
    ['an invalid path', 'GET //[ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 401],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 401],
    ['an absolute path', 'GET http://elsewhere.example/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 401],
    ['no host, as HTTP/1.0 allows', 'GET / HTTP/1.0\r\n\r\n', 401],
    ['two API keys', 'GET / HTTP/1.1\r\nhost: a\r\nx-api-key: a\r\nx-api-key: b\r\nconnection: close\r\n\r\n', 401],
  ])('gets a JSON response: %s', async (_, text, status) => {
    const { url } = await serve();
    const response = await written(url, text);
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(response).toContain('content-type: application/json');
    expect(JSON.parse(response.slice(response.indexOf('{'), response.lastIndexOf('}') + 1))).toEqual({
      code: expect.any(String),
      message: expect.any(String),
    });
    expect((await fetch(url)).status).toBe(401);
  });

  test('does not stop the server: a client that disconnects in the middle of its body', async () => {
    const { url } = await serve();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST /api/v1/payment HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{');
    await new Promise((resolve) => socket.once('ready', resolve));
    socket.resetAndDestroy();
    expect((await fetch(url)).status).toBe(401);
  });

  test('whose response would violate the contract gets a 501 that names the field', async () => {
    const { platform, clientOptions } = await serve();
    const { id, customerId } = platform.beneficiaries.add({ version: Number.MAX_SAFE_INTEGER });
    platform.beneficiaries.transition(id, 'SUSPENDED');
    expect(await call(clientOptions(), { path: `/api/v1/customers/${customerId}/beneficiaries` })).toMatchObject({
      status: 501,
      body: {
        code: 'mock_failure',
        message:
          'the response of customers.beneficiaries violates the contract: items[0].version must be an integer (received an integer too large to be exact). Fix the records in it.',
      },
    });
  });
});
