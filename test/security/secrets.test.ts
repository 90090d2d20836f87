import * as z from 'zod';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  Corridor,
  CorridorError,
  PaymentOutcomeUnknownError,
  type CorridorOptions,
  type RequestOptions,
} from 'corridor-sdk';
import { failureOf } from '../simulation/failure.js';
import { runProgram } from '../examples/run-program.js';
import { FaultServer, json, networks, paymentRequest, type Responder } from '../reliability/fault-server.js';
import { privateKey } from '../reliability/key.js';
import { VirtualTime } from '../reliability/virtual-time.js';
import { canary, expectNoSecret, renderings, secretsIn, signedUrl } from './canaries.js';

const { apiKey, account, kms } = canary;

const clientOf = (server: { readonly url: string }, options: CorridorOptions = {}): Corridor =>
  new Corridor({ baseUrl: server.url, apiKey, privateKey, maxRetries: 0, ...options });
const tokensSentTo = (server: FaultServer): string[] =>
  server.received.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));

/** Everything that was sent and more, as a careless or hostile platform may return it. */
const echo = (headers: object): string => `${JSON.stringify(headers)} ${privateKey} ${signedUrl}`;
const everyCall: readonly ((corridor: Corridor) => PromiseLike<unknown>)[] = [
  ({ crypto }) => crypto.networks(),
  ({ payments }) => payments.create(paymentRequest),
  ({ payments }) => payments.list(),
  ({ customers }) => customers.get('cus_1'),
  ({ support }) => support.attachmentUrl('tic_1', 'att_1'),
  (corridor) => corridor.request({ method: 'POST', path: '/api/v1/x', body: {} }),
];

const responses: readonly (readonly [name: string, respond: Responder, options?: CorridorOptions])[] = [
  ...[300, 302, 400, 401, 403, 404, 408, 409, 410, 413, 422, 425, 429, 500, 501, 502, 503, 504].map(
    (status): [string, Responder] => [
      `status ${status}`,
      (response, { headers }) =>
        json(
          response,
          status,
          { error: { code: `no ${apiKey}`, message: echo(headers) }, iban: account, url: signedUrl },
          { 'x-echo': String(headers['x-api-key']), location: signedUrl },
        ),
    ],
  ),
  [
    'problem+json',
    (response, { headers }) =>
      json(response, 422, { type: `https://x/${headers['x-api-key']}`, detail: echo(headers) }),
  ],
  [
    'a list of messages',
    (response, { headers }) =>
      json(response, 400, { statusCode: 400, error: apiKey, message: [echo(headers), signedUrl] }),
  ],
  [
    'an HTML page',
    (response, { headers }) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end(`<html>${echo(headers)}</html>`),
  ],
  ['a text', (response, { headers }) => response.writeHead(500).end(echo(headers))],
  [
    'a request id that echoes the API key',
    (response, { headers }) => json(response, 400, {}, { 'x-request-id': `req_${headers['x-api-key']}` }),
  ],
  [
    'a request id that echoes the token',
    (response, { headers }) => json(response, 500, {}, { 'x-request-id': String(headers.authorization) }),
  ],
  [
    'JSON that is cut',
    (response, { headers }) => response.writeHead(200).end(`{"key":"${headers['x-api-key']}","iban":"${account}`),
  ],
  [
    'JSON of another shape',
    (response, { headers }) =>
      json(response, 200, {
        networks: [{ id: 1, displayName: headers.authorization, iban: account }],
        items: [{ id: 1, iban: account }],
      }),
  ],
  [
    'fields named by what was sent',
    (response, { headers }) =>
      json(response, 200, {
        networks: [],
        items: [],
        nextCursor: null,
        hasMore: false,
        [apiKey]: 1,
        [String(headers.authorization)]: 2,
      }),
    { validation: 'strict' },
  ],
  ['nothing', (response) => response.writeHead(200).end()],
  ['HTML for JSON', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(signedUrl)],
  ['broken UTF-8', (response) => response.writeHead(200).end(Buffer.from([0x7b, 0xff]))],
  [
    'too much',
    (response, { headers }) => response.writeHead(200).end(JSON.stringify(headers).repeat(100)),
    { maxResponseBytes: 100 },
  ],
  ['several URLs', (response) => json(response, 200, { a: signedUrl, b: `${signedUrl}2`, networks: 1, items: 1 })],
  ['what is not HTTP', (response, { headers }) => response.socket?.end(`${JSON.stringify(headers)}\r\n\r\n`)],
  ['a reset', (response) => response.socket?.resetAndDestroy()],
  ['a closed connection', (response) => response.socket?.end()],
  [
    'a body that breaks off',
    (response) => {
      response.writeHead(200, { 'content-length': '999' }).write('{');
      setImmediate(() => response.socket?.resetAndDestroy());
    },
  ],
  ['silence', () => {}, { timeout: 30 }],
  ['silence until the deadline', () => {}, { totalTimeout: 30 }],
];

describe('no secret is in the error', () => {
  for (const [name, respond, options] of responses) {
    it(`K2 after ${name}`, async () => {
      await using server = await new FaultServer(respond).listen();
      const time =
        options?.timeout === undefined && options?.totalTimeout === undefined ? new VirtualTime().options : {};
      let failed = 0;
      for (const call of everyCall) {
        const result = await Promise.resolve(call(clientOf(server, { ...time, ...options }))).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (result === undefined) continue;
        failed += 1;
        expect(result).toBeInstanceOf(CorridorError);
        expectNoSecret(result, tokensSentTo(server));
      }
      expect(failed).toBeGreaterThan(0);
    });
  }

  const throwing = (): never => {
    throw Object.assign(new Error(`refused with ${kms} and ${apiKey}`), {
      name: `Refused ${kms}`,
      code: kms,
      cause: new Error(kms),
      headers: { authorization: kms },
    });
  };

  it.each<readonly [name: string, call: (url: string) => PromiseLike<unknown>]>([
    [
      'of a signer that throws',
      (url) => clientOf({ url }, { privateKey: undefined, signer: async () => throwing() }).crypto.networks(),
    ],
    [
      'of a signer that gives a text',
      (url) => clientOf({ url }, { privateKey: undefined, signer: (async () => kms) as never }).crypto.networks(),
    ],
    [
      'of a signer that hangs',
      (url) =>
        clientOf(
          { url },
          { privateKey: undefined, signer: () => new Promise(() => {}), timeout: 20 },
        ).crypto.networks(),
    ],
    ['of claims that throw', (url) => clientOf({ url }, { claims: throwing }).crypto.networks()],
    [
      'of claims that hold the API key',
      (url) => clientOf({ url }, { claims: () => ({ sub: apiKey }) }).crypto.networks(),
    ],
    ['of a key function that throws', (url) => clientOf({ url }, { privateKey: throwing }).crypto.networks()],
    [
      'of a key function that throws when the client gets ready',
      (url) => clientOf({ url }, { privateKey: throwing }).ready(),
    ],
    [
      'of a fetch that throws what it was given',
      (url) =>
        clientOf(
          { url },
          {
            fetch: async (_, init) => {
              throw Object.assign(new Error(JSON.stringify(init)), {
                code: JSON.stringify(init?.headers),
                cause: init,
              });
            },
          },
        ).crypto.networks(),
    ],
    [
      'of a fetch that gives no response',
      (url) => clientOf({ url }, { fetch: (async (_: unknown, init: unknown) => init) as never }).crypto.networks(),
    ],
    ['of an aborted call', (url) => clientOf({ url }).crypto.networks({ signal: AbortSignal.abort() })],
    [
      'of a rejected request',
      (url) => clientOf({ url }).payments.create({ ...paymentRequest, iban: account } as never),
    ],
    [
      'of a rejected header',
      (url) => clientOf({ url }).crypto.networks({ headers: { authorization: `Bearer ${apiKey}` } }),
    ],
    [
      'of a header that cannot be',
      (url) => clientOf({ url }).crypto.networks({ headers: { 'x-mine': `${apiKey}\n` } }),
    ],
    [
      'of an option that is none',
      (url) => clientOf({ url }).crypto.networks({ timeout: apiKey } as unknown as RequestOptions),
    ],
    ['of a rejected path', (url) => clientOf({ url }).request({ method: 'GET', path: `//${apiKey}` })],
    ['of a rejected id', (url) => clientOf({ url }).customers.get({ id: apiKey } as never)],
    ['of a host that is not found', () => clientOf({ url: 'https://corridor.invalid' }).crypto.networks()],
    ['of a port where nobody listens', () => clientOf({ url: 'http://127.0.0.1:1' }).crypto.networks()],
    [
      'of a payment whose outcome is unknown',
      (url) => clientOf({ url }).payments.createOnce(paymentRequest, { consistencyWindow: 1 }),
    ],
    [
      'of a wait that is too long',
      (url) => clientOf({ url }).payments.waitForStatus('pay_1', { until: ['COMPLETED'], maxWait: 1 }),
    ],
  ])('K2 %s', async (_, call) => {
    await using server = await new FaultServer((response) => response.socket?.resetAndDestroy()).listen();
    const error = await failureOf(call(server.url));
    expect(error).toBeInstanceOf(CorridorError);
    expectNoSecret(error, tokensSentTo(server));
    if (error instanceof PaymentOutcomeUnknownError) expect(error.intent.request).toEqual(paymentRequest);
  });

  it('K2 of a TLS connection that fails', async () => {
    const server = createTlsServer({}, () => {}).on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const error = await failureOf(
      clientOf({ url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` }).crypto.networks(),
    );
    server.close();
    expectNoSecret(error);
  });

  it('K2 of pages whose cursors form a cycle', async () => {
    await using server = await new FaultServer((response) =>
      json(response, 200, { items: [], nextCursor: 'c1', hasMore: true }),
    ).listen();
    const error = await failureOf(clientOf(server).payments.list().toArray());
    expect(error).toMatchObject({ code: 'pagination' });
    expectNoSecret(error, tokensSentTo(server));
  });

  it.each<readonly [name: string, code: string, differing: object]>([
    ['a payment that is another', 'payment-mismatch', { amount: '9.99' }],
    ['two payments for one quote', 'duplicate-payment', {}],
  ])('K2 of %s: neither credentials nor the account number', async (_, code, differing) => {
    const shown = (id: string): object => ({
      ...paymentRequest,
      ...differing,
      id,
      status: 'PENDING_REVIEW',
      sourceFunding: { type: 'BANK_ACCOUNT', iban: account },
    });
    const items = code === 'duplicate-payment' ? [shown('pay_1'), shown('pay_2')] : [shown('pay_1')];
    await using server = await new FaultServer((response, { method }) =>
      method === 'POST'
        ? response.socket?.resetAndDestroy()
        : json(response, 200, { items, nextCursor: null, hasMore: false }),
    ).listen();
    const error = await failureOf(
      clientOf(server, { validation: 'observe' }).payments.createOnce(paymentRequest, { consistencyWindow: 0 }),
    );
    expect(error).toMatchObject({ code });
    expectNoSecret(error, tokensSentTo(server));
  });

  it('K2 of a signed URL that is rejected, not found or unreachable', async () => {
    const faults: readonly Responder[] = [
      (response) => json(response, 403, { url: signedUrl }, { location: signedUrl }),
      (response) => response.socket?.resetAndDestroy(),
      (response) => response.writeHead(302, { location: `http://127.0.0.1:1/${canary.signature}` }).end(),
    ];
    for (const fault of faults) {
      await using files = await new FaultServer(fault).listen();
      await using server = await new FaultServer((response) =>
        json(response, 200, { url: `${files.url}/f?X-Signature=${canary.signature}` }),
      ).listen();
      const error = await failureOf(clientOf(server).documents.download('doc_1'));
      expect(error).toBeInstanceOf(CorridorError);
      expectNoSecret(error, tokensSentTo(server));
    }
  });

  it.each([
    ['apiKey', { apiKey: `${apiKey}\n` }],
    ['apiKey', { apiKey: `${apiKey}\0` }],
    ['apiKey', { apiKey: `${apiKey} ü` }],
    ['apiKey', { apiKey: ` ${apiKey}` }],
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: '  ' }],
    ['apiKey', { apiKey: { key: apiKey } }],
    ['baseUrl', { baseUrl: `https://user:${apiKey}@api.example.com` }],
    ['baseUrl', { baseUrl: `https://api.example.com?key=${apiKey}` }],
    ['baseUrl', { baseUrl: apiKey }],
    ['privateKey', { privateKey: privateKey.slice(0, 700) }],
    ['privateKey', { privateKey: privateKey.replaceAll('PRIVATE', 'SECRET') }],
    ['privateKey', { privateKey: { kty: privateKey, d: privateKey } }],
    ['privateKey', { privateKey: { kty: 'RSA', d: privateKey, alg: privateKey } }],
    ['an unknown option', { api_key: apiKey }],
    ['keyId', { keyId: apiKey }],
    ['signer', { privateKey: undefined, signer: apiKey }],
    ['userAgent', { userAgent: `${apiKey}\n` }],
  ])('K5 of the rejection of %s (%#)', async (name, wrong) => {
    const error = await failureOf(
      (async () =>
        new Corridor({
          baseUrl: 'https://api.example.com',
          apiKey,
          privateKey,
          ...wrong,
        } as CorridorOptions).ready())(),
    );
    expect(error).toMatchObject({ code: 'configuration' });
    if (name !== 'an unknown option') expect((error as Error).message).toContain(name);
    expectNoSecret(error);
  });

  it.each<[string, Responder]>([
    [
      'an error status',
      (response, { headers }) => json(response, 403, { message: `no ${headers['x-api-key']}`, given: [headers] }),
    ],
    ['a text', (response, { headers }) => response.writeHead(500).end(encodeURI(`x=${headers['x-api-key']}`))],
    ['JSON of another shape', (response, { headers }) => json(response, 200, { networks: headers['x-api-key'] })],
  ])('K2 the body of %s does not contain the API key', async (_name, respond) => {
    await using server = await new FaultServer(respond).listen();
    const { body } = (await failureOf(clientOf(server).crypto.networks())) as unknown as { readonly body: unknown };
    expect(JSON.stringify(body)).toContain('[secret]');
    expect(JSON.stringify(body)).not.toContain(apiKey);
  });

  it.each<[string, CorridorOptions, (corridor: Corridor) => PromiseLike<unknown>]>([
    ['a list that is not one', { validation: 'observe' }, ({ crypto }) => crypto.networks()],
    ['a page without items', { validation: 'observe' }, ({ customers }) => customers.list()],
    ['a download without a URL', {}, ({ documents }) => documents.downloadUrl('doc_1')],
    [
      'a response that does not match its schema',
      {},
      (corridor) => corridor.request({ method: 'GET', path: '/x', schema: z.object({ total: z.string() }) }),
    ],
  ])('K2 the body of %s does not contain the API key', async (_name, options, call) => {
    await using server = await new FaultServer((response, { headers }) =>
      json(response, 200, { given: headers['x-api-key'] }),
    ).listen();
    const { body } = (await failureOf(call(clientOf(server, options)))) as unknown as { readonly body: unknown };
    expect(body).toEqual({ given: '[secret]' });
  });

  it('K2 the test detects a secret: an error with one shows it in several ways', () => {
    const error = new Error(apiKey, { cause: new Error(signedUrl) });
    const shown = [...renderings(error)].filter(([, text]) => secretsIn(text).length > 0).map(([name]) => name);
    expect(shown).toEqual(
      expect.arrayContaining(['message', 'stack', 'inspect', 'String', '%o', 'structuredClone', 'cause: message']),
    );
  });
});

describe('no secret is printed', () => {
  it('K3 in a client, its parts, a pending call, a list and a page', async () => {
    await using server = await new FaultServer((response) =>
      json(response, 200, { items: [], nextCursor: null, hasMore: false, networks: [] }),
    ).listen();
    const corridor = clientOf(server);
    const call = corridor.crypto.networks();
    const values = [
      corridor,
      ...(Object.values(corridor) as unknown[]),
      call,
      corridor.payments.list(),
      await corridor.payments.list(),
      await call,
      await corridor.payments.list().withResponse(),
    ];
    for (const value of values) expectNoSecret(value, tokensSentTo(server));
  });

  it('K3 in the arguments of claims and signers', async () => {
    await using server = await new FaultServer((response) => json(response, 400, {})).listen();
    const reported: unknown[] = [];
    const { privateKey: other } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const signer = async (bytes: Uint8Array): Promise<Uint8Array> => {
      reported.push(
        Buffer.from(bytes)
          .toString()
          .split('.')
          .map((part) => Buffer.from(part, 'base64url').toString()),
      );
      return createSign('sha256').update(bytes).sign(other);
    };
    await failureOf(
      clientOf(server, {
        privateKey: undefined,
        signer,
        claims: (request) => {
          reported.push(request);
          return {};
        },
      }).payments.create(paymentRequest),
    );
    expect(reported).toHaveLength(2);
    expectNoSecret(reported);
  });

  it('K4 in log lines, hooks, drift and channels, at their most verbose', async () => {
    const seen: unknown[] = [];
    const note = (...values: unknown[]): void => void seen.push(...values);
    const channels = ['request', 'response', 'retry', 'error'].map((type) => `corridor-sdk:${type}`);
    const tokens: string[] = [];
    channels.forEach((channel) => subscribe(channel, note));
    for (const [, respond, options] of responses) {
      await using server = await new FaultServer(respond).listen();
      const time =
        options?.timeout === undefined && options?.totalTimeout === undefined ? new VirtualTime().options : {};
      const corridor = clientOf(server, {
        maxRetries: 1,
        ...time,
        ...options,
        validation: 'observe',
        onDrift: note,
        logger: { debug: note, warn: note, error: note },
        hooks: { onRequest: note, onResponse: note, onRetry: note, onError: note },
      });
      for (const call of [
        ...everyCall,
        () => corridor.customers.get(account),
        () => corridor.payments.create({ ...paymentRequest, memo: account }),
      ])
        await Promise.resolve(call(corridor)).catch(() => {});
      tokens.push(...tokensSentTo(server));
    }
    channels.forEach((channel) => unsubscribe(channel, note));
    expect(seen.length).toBeGreaterThan(1_000);
    const distinct = new Set(seen.map((value) => JSON.stringify(value)));
    expect([...distinct].flatMap((text) => secretsIn(text, tokens))).toEqual([]);
    for (const value of seen.slice(0, 50)) expectNoSecret(value, tokens);
  });

  it('K4 in debug output of Node about requests: no header and no body', async () => {
    await using server = await new FaultServer((response) => json(response, 401, {})).listen();
    const { output } = await runProgram('test/security/crash.ts', [], {
      CORRIDOR_BASE_URL: server.url,
      CORRIDOR_API_KEY: apiKey,
      CORRIDOR_PRIVATE_KEY: privateKey,
      NODE_DEBUG: 'fetch,undici,http',
    });
    expect(output).toContain('/api/v1/customers/cus_1');
    expect(secretsIn(output, tokensSentTo(server))).toEqual([]);
  });

  it('K7 in the output of Node for an unhandled rejection', async () => {
    await using server = await new FaultServer((response, { headers }) =>
      json(response, 401, { message: echo(headers), code: apiKey }, { 'x-request-id': apiKey }),
    ).listen();
    const { output, code } = await runProgram('test/security/crash.ts', [], {
      CORRIDOR_BASE_URL: server.url,
      CORRIDOR_API_KEY: apiKey,
      CORRIDOR_PRIVATE_KEY: privateKey,
    });
    expect(code).toBe(1);
    expect(output).toContain('AuthenticationError: customers.get failed with status 401');
    expect(secretsIn(output, tokensSentTo(server))).toEqual([]);
  });

  it('H9 a signed URL is returned and never fetched with credentials, redirected or not', async () => {
    await using elsewhere = await new FaultServer((response) => response.end('content')).listen();
    await using files = await new FaultServer((response) =>
      response.writeHead(302, { location: `${elsewhere.url}/g?sig=2` }).end(),
    ).listen();
    await using server = await new FaultServer((response) =>
      json(response, 200, { file: { href: `${files.url}/f?sig=1` } }),
    ).listen();
    const corridor = clientOf(server);
    expect((await corridor.documents.downloadUrl('doc_1')).url).toBe(`${files.url}/f?sig=1`);
    expect(files.received).toHaveLength(0);
    expect(await (await corridor.documents.download('doc_1')).text()).toBe('content');
    for (const { headers, url } of [...files.received, ...elsewhere.received]) {
      expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-api-key']));
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('referer');
      expect(secretsIn(JSON.stringify([headers, url]), tokensSentTo(server))).toEqual([]);
    }
  });

  it('K8 of one client in another: headers, tokens and retry budgets are separate', async () => {
    let second = 0;
    await using server = await new FaultServer((response, { headers }) => {
      const failing = headers['x-api-key'] === 'key-of-one' || (second += 1) === 1;
      json(response, failing ? 503 : 200, networks, { 'retry-after': '0' });
    }).listen();
    const one = clientOf(server, { apiKey: 'key-of-one', keyId: 'one', maxRetries: 2 });
    const two = clientOf(server, { apiKey: 'key-of-two', keyId: 'two', maxRetries: 2 });
    for (let call = 0; call < 40; call += 1) await failureOf(one.crypto.networks({ headers: { 'x-mine': '1' } }));
    const { attempts } = await two.crypto.networks().withResponse();
    const sentWith = (key: string) => server.received.filter(({ headers }) => headers['x-api-key'] === key);
    expect(sentWith('key-of-one').length).toBeLessThan(120); // Its budget for retries ran dry,
    expect(attempts.map(({ status }) => status)).toEqual([503, 200]); // and that of the other did not.
    for (const { headers } of sentWith('key-of-two')) {
      expect(headers['x-mine']).toBeUndefined();
      expect(Buffer.from(String(headers.authorization).slice(7).split('.')[0] ?? '', 'base64url').toString()).toContain(
        '"kid":"two"',
      );
    }
  });
});
