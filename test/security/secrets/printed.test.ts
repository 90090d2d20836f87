import { createSign, generateKeyPairSync } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../support/failure-of.ts';
import { runProgram } from '../../examples/run-program.ts';
import { FaultServer, json, networks, paymentRequest } from '../../support/fault-server.ts';
import { privateKey } from '../../support/key.ts';
import { InstantDelays } from '../../support/instant-delays.ts';
import { expectNoSecret, secretsIn } from '../canaries.ts';
import { apiKey, account, clientOf, tokensSentTo, echo, everyCall, responses } from './responses.ts';

describe('no secret is printed', () => {
  it('in a client, its parts, a pending call, a list and a page', async () => {
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

  it('in the arguments of claims and signers', async () => {
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

  it('in log lines, hooks, drift and channels, at their most verbose', async () => {
    const seen: unknown[] = [];
    const note = (...values: unknown[]): void => void seen.push(...values);
    const channels = ['request', 'response', 'retry', 'error'].map((type) => `corridor-sdk:${type}`);
    const tokens: string[] = [];
    channels.forEach((channel) => subscribe(channel, note));
    for (const [, respond, options] of responses) {
      await using server = await new FaultServer(respond).listen();
      const time =
        options?.timeout === undefined && options?.totalTimeout === undefined ? new InstantDelays().options : {};
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

  it('in debug output of Node about requests: no header and no body', async () => {
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

  it('in the output of Node for an unhandled rejection', async () => {
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

  it('a signed URL is returned and never fetched with credentials, redirected or not', async () => {
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

  it('of one client in another: headers, tokens and retry budgets are separate', async () => {
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
