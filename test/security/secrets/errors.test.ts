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
import { failureOf } from '../../support/failure-of.ts';
import { FaultServer, json, paymentRequest, type Responder } from '../../support/fault-server.ts';
import { privateKey } from '../../support/key.ts';
import { InstantDelays } from '../../support/instant-delays.ts';
import { canary, expectNoSecret, renderings, secretsIn, signedUrl } from '../canaries.ts';
import { apiKey, account, kms, clientOf, tokensSentTo, everyCall, responses } from './responses.ts';

describe('no secret is in the error', () => {
  for (const [name, respond, options] of responses) {
    it(`after ${name}`, async () => {
      await using server = await new FaultServer(respond).listen();
      const time =
        options?.timeout === undefined && options?.totalTimeout === undefined ? new InstantDelays().options : {};
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
  ])('%s', async (_, call) => {
    await using server = await new FaultServer((response) => response.socket?.resetAndDestroy()).listen();
    const error = await failureOf(call(server.url));
    expect(error).toBeInstanceOf(CorridorError);
    expectNoSecret(error, tokensSentTo(server));
    if (error instanceof PaymentOutcomeUnknownError) expect(error.intent.request).toEqual(paymentRequest);
  });

  it('of a TLS connection that fails', async () => {
    const server = createTlsServer({}, () => {}).on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const error = await failureOf(
      clientOf({ url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` }).crypto.networks(),
    );
    server.close();
    expectNoSecret(error);
  });

  it('of pages whose cursors form a cycle', async () => {
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
  ])('of %s: neither credentials nor the account number', async (_, code, differing) => {
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

  it('of a signed URL that is rejected, not found or unreachable', async () => {
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
    ['apiKey', { apiKey: `"${apiKey}"` }],
    ['apiKey', { apiKey: `${apiKey}\n${apiKey}` }],
    ['apiKey', { apiKey: `$\{${apiKey}}` }],
    ['baseUrl', { baseUrl: `https://<${apiKey}>` }],
    ['privateKey', { privateKey: `$\{${apiKey}}` }],
    ['apiKey', { apiKey: `${apiKey}\0` }],
    ['apiKey', { apiKey: `${apiKey} ü` }],
    ['apiKey', { apiKey: ` ${apiKey} x` }],
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
  ])('of the rejection of %s (%#)', async (name, wrong) => {
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
  ])('the body of %s does not contain the API key', async (_name, respond) => {
    await using server = await new FaultServer(respond).listen();
    const { body } = (await failureOf(clientOf(server).crypto.networks())) as unknown as { readonly body: unknown };
    expect(JSON.stringify(body)).toContain('[secret]');
    expect(JSON.stringify(body)).not.toContain(apiKey);
  });

  it.each<[string, CorridorOptions, (corridor: Corridor) => PromiseLike<unknown>]>([
    ['a list that is not one', { validation: 'observe' }, ({ crypto }) => crypto.networks()],
    ['a page without items', { validation: 'observe' }, ({ customers }) => customers.list()],
    ['a download without a URL', {}, ({ documents }) => documents.downloadUrl('doc_1')],
  ])('the body of %s does not contain the API key', async (_name, options, call) => {
    await using server = await new FaultServer((response, { headers }) =>
      json(response, 200, { given: headers['x-api-key'] }),
    ).listen();
    const { body } = (await failureOf(call(clientOf(server, options)))) as unknown as { readonly body: unknown };
    expect(body).toEqual({ given: '[secret]' });
  });

  it('the test detects a secret: an error with one shows it in several ways', () => {
    const error = new Error(apiKey, { cause: new Error(signedUrl) });
    const shown = [...renderings(error)].filter(([, text]) => secretsIn(text).length > 0).map(([name]) => name);
    expect(shown).toEqual(
      expect.arrayContaining(['message', 'stack', 'inspect', 'String', '%o', 'structuredClone', 'cause: message']),
    );
  });
});
