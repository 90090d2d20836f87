import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connectMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer, type ServeOptions } from 'corridor-sdk/mock/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { call } from '../sign.ts';

const token = 'a-control-token-of-the-team';

async function serve(options: ServeOptions = {}): Promise<MockPlatformServer> {
  const served = await serveMockPlatform({ control: true, controlToken: token, ...options });
  onTestFinished(() => served.close());
  return served;
}

/** Serves a platform for other machines, which reach it by the name `mock`. */
const serveTeam = (options: ServeOptions = {}): Promise<MockPlatformServer> =>
  serve({ host: '0.0.0.0', allowedHosts: ['mock'], ...options });

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Sends a request with a `Host` header of its own, which `fetch` does not allow. */
function send(
  { url }: MockPlatformServer,
  path: string,
  headers: Record<string, string> = {},
  { method = 'POST', body = '' }: { method?: string; body?: string } = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}${path}`, { method, headers }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: JSON.parse(text) as unknown }),
        );
    });
    request.on('error', reject).end(body);
  });
}

const withToken = { authorization: `Bearer ${token}` };

async function sessionCookie(served: MockPlatformServer, host = 'mock'): Promise<string> {
  const { status, headers } = await send(served, '/__mock/session', { host, ...withToken });
  expect(status).toBe(200);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

describe('a server that other machines reach', () => {
  test('accepts its control token', async () => {
    const served = await serveTeam();
    expect(await send(served, '/__mock/customers.all', { host: 'mock', ...withToken })).toMatchObject({
      status: 200,
      body: [],
    });
  });

  test.each([
    ['nothing', {}, 'control_token_required'],
    ['another token', { authorization: `Bearer ${token}1` }, 'invalid_control_token'],
    ['an empty token', { authorization: 'Bearer ' }, 'invalid_control_token'],
    ['another scheme', { authorization: `Basic ${token}` }, 'invalid_control_token'],
    ['a loopback name only', { host: '127.0.0.1' }, 'control_token_required'],
    ['an invalid cookie', { cookie: 'corridor_mock_=x' }, 'control_token_required'],
  ])('rejects %s', async (_, headers, code) => {
    const served = await serveTeam();
    served.platform.customers.add();
    for (const path of ['/__mock', '/__mock/reset', '/__mock/snapshot', '/__mock/credentials'])
      expect(await send(served, path, { host: 'mock', ...headers })).toMatchObject({ status: 401, body: { code } });
    expect(served.platform.customers.all()).toHaveLength(1);
  });

  test.each(['mock.evil.example', 'evil.mock', 'mock.', 'xmock', '192.0.2.1', 'mock:80:80'])(
    'rejects the host %j, even with the token',
    async (host) => {
      const reply = await send(await serveTeam(), '/__mock/snapshot', { host, ...withToken });
      expect(reply).toMatchObject({ status: 403, body: { code: 'host_not_allowed' } });
    },
  );

  test.each(['mock', 'MOCK', 'mock:4010', 'localhost:80', '127.0.0.1', '[::1]:1'])(
    'accepts the host %j with the token',
    async (host) => {
      expect(await send(await serveTeam(), '/__mock/clock.now', { host, ...withToken })).toMatchObject({ status: 200 });
    },
  );

  test('requires a list of allowed hosts', async () => {
    await expect(serve({ host: '0.0.0.0' })).rejects.toThrow(
      "serveMockPlatform: allowedHosts is required, because 0.0.0.0 is not a loopback address. Pass the host names in the URLs of your tests, such as ['mock'].",
    );
  });

  test('reports its health by any host, without the token, and nothing else', async () => {
    const served = await serveTeam();
    expect(await send(served, '/__mock/health', { host: '10.0.0.7' }, { method: 'GET' })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
  });

  test.each([
    ['mock:1234', 'http://mock:1234'],
    ['LOCALHOST:80', 'http://localhost'],
    ['host.docker.internal:4010', 'http://host.docker.internal:4010'],
    ['[::1]:4010', 'http://[::1]:4010'],
    ['mock:99999', undefined],
    ['user@mock', undefined],
    ['mock/elsewhere', undefined],
    ['', undefined],
  ])('signs download URLs for the host %s as %s', async (host, origin) => {
    const served = await serveTeam();
    const { id } = served.platform.documents.add();
    const path = `/api/v1/documents/${id}`;
    const sendAs = (_: unknown, init: RequestInit = {}): Promise<Response> =>
      send(served, path, { ...Object.fromEntries(new Headers(init.headers)), host }, { method: 'GET' }).then(
        ({ body }) => Response.json(body),
      );
    const { body } = await call<{ url: string }>({ ...served.clientOptions(), fetch: sendAs }, { path });
    expect(new URL(body.url).origin).toBe(origin ?? served.url);
  });
});

test('the receipts in records have the host of the control call', async () => {
  const served = await serveTeam();
  const { id } = served.platform.payments.add({ status: 'COMPLETED' });
  const body = JSON.stringify([id]);
  const reply = await send(served, '/__mock/payments.get', { host: 'mock:4010', ...withToken }, { body });
  expect(reply.body).toMatchObject({ receiptUrl: expect.stringMatching(/^http:\/\/mock:4010\/downloads\//) });
  expect(served.platform.payments.get(id)?.receiptUrl).toContain(`${served.url}/downloads/`);
});

describe('a server on loopback', () => {
  test('needs no token', async () => {
    expect(await send(await serve(), '/__mock/customers.all')).toMatchObject({ status: 200 });
  });

  test('rejects an invalid token', async () => {
    expect(await send(await serve(), '/__mock/customers.all', { authorization: 'Bearer x' })).toMatchObject({
      status: 401,
    });
  });

  test('requires the token of callers that a proxy forwards under another name', async () => {
    const served = await serve({ allowedHosts: ['mock.test'] });
    expect(await send(served, '/__mock/reset', { host: 'mock.test' })).toMatchObject({ status: 401 });
    expect(await send(served, '/__mock/reset', { host: 'mock.test', ...withToken })).toMatchObject({ status: 200 });
  });

  test('generates a token of its own', async () => {
    const [first, second] = await Promise.all([
      serve({ controlToken: undefined }),
      serve({ controlToken: undefined, control: false }),
    ]);
    expect(first.controlToken).toMatch(/^[\w-]{43}$/);
    expect(second.controlToken).toBeUndefined();
  });
});

describe('a session', () => {
  test('exchanges the token for a cookie that scripts cannot read', async () => {
    const served = await serveTeam();
    const { status, headers } = await send(served, '/__mock/session', { host: 'mock', ...withToken });
    expect(status).toBe(200);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^corridor_mock_\d*=[\w-]{43}; Path=\/__mock; HttpOnly; SameSite=Strict$/),
    ]);
    expect(headers['set-cookie']?.[0]).not.toContain(token);
  });

  test('allows the calls of the page that has the cookie', async () => {
    const served = await serveTeam();
    const cookie = await sessionCookie(served, 'mock:4010');
    const page = { host: 'mock:4010', cookie: `other=1; ${cookie}`, 'sec-fetch-site': 'same-origin' };
    expect(await send(served, '/__mock/customers.all', page, { method: 'GET' })).toMatchObject({ status: 200 });
    expect(await send(served, '/__mock/customers.add', { ...page, origin: 'http://mock:4010' })).toMatchObject({
      status: 200,
    });
    expect(served.platform.customers.all()).toHaveLength(1);
  });

  test.each<[page: string, headers: Record<string, string>, code: string]>([
    ['an unknown origin', {}, 'origin_required'],
    ['another port', { origin: 'http://mock:4011', 'sec-fetch-site': 'same-site' }, 'origin_not_allowed'],
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 'origin_not_allowed'],
    ['a sandboxed frame', { origin: 'null' }, 'origin_not_allowed'],
  ])('does not allow changes of a page of %s', async (_, headers, code) => {
    const served = await serveTeam();
    const cookie = await sessionCookie(served, 'mock:4010');
    expect(await send(served, '/__mock/customers.add', { host: 'mock:4010', cookie, ...headers })).toMatchObject({
      status: 403,
      body: { code },
    });
    expect(served.platform.customers.all()).toEqual([]);
  });

  test('continues on a restarted server with the same token, and not with another one', async () => {
    const port = 0;
    const cookie = await sessionCookie(await serveTeam({ port }));
    const headers = { host: 'mock', cookie };
    expect(await send(await serveTeam(), '/__mock/customers.all', headers, { method: 'GET' })).toMatchObject({
      status: 200,
    });
    const other = await serveTeam({ controlToken: `${token}-2` });
    expect(await send(other, '/__mock/customers.all', headers, { method: 'GET' })).toMatchObject({ status: 401 });
  });

  test.each([{}, { authorization: 'Bearer wrong' }, { authorization: token }])(
    'is not created by %j',
    async (headers) => {
      const reply = await send(await serveTeam(), '/__mock/session', { host: 'mock', ...headers });
      expect(reply).toMatchObject({ status: 401, body: { code: 'invalid_control_token' } });
      expect(reply.headers['set-cookie']).toBeUndefined();
    },
  );

  test('is not created by GET, by another host or by another page', async () => {
    const served = await serve();
    expect(await send(served, '/__mock/session', withToken, { method: 'GET' })).toMatchObject({ status: 405 });
    expect(await send(served, '/__mock/session', { host: 'evil.example', ...withToken })).toMatchObject({
      status: 403,
    });
    const page = { origin: 'https://evil.example', ...withToken };
    expect(await send(served, '/__mock/session', page)).toMatchObject({ status: 403 });
  });
});

test.each<[ServeOptions, string]>([
  [{ controlToken: 'short' }, 'controlToken must have 16 to 200 letters, digits and characters of "-._~"'],
  [{ controlToken: 'a token with spaces' }, 'controlToken must have 16 to 200 letters'],
  [{ allowedHosts: ['*.test'] }, 'allowedHosts[0] must be a host name without a port'],
  [{ allowedHosts: ['mock:80'] }, 'allowedHosts[0] must be a host name without a port'],
  [{ allowedHosts: ['http://mock'] }, 'allowedHosts[0] must be a host name without a port'],
  [{ host: '' }, 'host must be a non-empty string'],
  [{ port: 65_536 }, 'port must be an integer from 0 to 65535'],
])('a server rejects %j', async (options, message) => {
  await expect(serve(options)).rejects.toThrow(message);
  await expect(serve(options)).rejects.not.toThrow('a token with spaces');
});

test('the root leads to the console, and a server without control says so', async () => {
  const served = await serveMockPlatform({ control: true });
  const root = await fetch(served.url, { redirect: 'manual' });
  expect([root.status, root.headers.get('location')]).toEqual([302, '/__mock/console']);
  expect((await fetch(served.url, { method: 'HEAD', redirect: 'manual' })).status).toBe(302);
  expect((await fetch(`${served.url}/__mock/console`, { method: 'HEAD' })).status).toBe(200);
  await served.close();
  const other = await serveMockPlatform();
  await expect(connectMockPlatform(other.url)).rejects.toThrow(
    'this server does not serve the control API. Start it with',
  );
  expect((await fetch(other.url)).status).toBe(401);
  await other.close();
});
