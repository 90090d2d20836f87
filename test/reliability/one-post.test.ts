import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, AuthenticationError, Corridor, MemoryJournal } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../support/failure-of.ts';
import { clientOf, FaultServer, json, paymentRequest } from '../support/fault-server.ts';
import { InstantDelays } from '../support/instant-delays.ts';

// fetch repeats a request after a 421, unless its body is a stream. test/ecosystem/runtimes/ counts the
// same in every runtime.

afterEach(() => vi.unstubAllGlobals());

const text = JSON.stringify(paymentRequest);

/** A server that responds to the first POST with a status and to later ones with 201. */
const respondingWith = (status: number) =>
  new FaultServer((response, _received, number) => json(response, number === 1 ? status : 201, {})).listen();
const posts = (server: FaultServer) => server.received.filter(({ method }) => method === 'POST');
const wire = (server: FaultServer) =>
  posts(server).map(({ body, verified, headers }) => ({
    body,
    verified,
    length: headers['content-length'],
    encoding: headers['transfer-encoding'],
  }));
const once = (body: string) => [{ body, verified: true, length: String(Buffer.byteLength(body)), encoding: undefined }];

describe('one POST leaves for each attempt', () => {
  it.each([421, 401, 403, 408, 500])('a payment with the response %i', async (status) => {
    await using server = await respondingWith(status);
    expect(await failureOf(clientOf(server).payments.create(paymentRequest))).toMatchObject({ status });
    expect(wire(server)).toEqual(once(text));
  });

  it('the outcome of a 421 is unknown, and that of a 401 is rejected', async () => {
    await using misdirected = await respondingWith(421);
    await using unauthorized = await respondingWith(401);
    const [first, second] = await Promise.all(
      [misdirected, unauthorized].map((server) => failureOf(clientOf(server).payments.create(paymentRequest))),
    );
    expect(first).toBeInstanceOf(ApiError);
    expect(first).toMatchObject({ outcome: 'unknown', attempts: [{ attempt: 1, status: 421 }] });
    expect(second).toBeInstanceOf(AuthenticationError);
    expect(second).toMatchObject({ outcome: 'rejected', attempts: [{ attempt: 1, status: 401 }] });
  });

  it('the length is counted in bytes', async () => {
    await using server = await respondingWith(421);
    const request = { ...paymentRequest, purposeOfPayment: 'Käse für 30 €' };
    await failureOf(clientOf(server).payments.create(request));
    expect(wire(server)).toEqual(once(JSON.stringify(request)));
  });

  it('a write without a body', async () => {
    await using server = await respondingWith(421);
    await failureOf(clientOf(server).request({ method: 'POST', path: '/api/v1/reports' }));
    expect(wire(server)).toEqual(once(''));
    expect(server.received[0]?.headers['content-type']).toBeUndefined();
  });

  it('a reply to a ticket', async () => {
    await using server = await respondingWith(421);
    await failureOf(clientOf(server).support.reply('tic_1', { bodyText: 'Thanks' }));
    expect(posts(server)).toHaveLength(1);
  });

  it('also through a fetch option that calls the fetch of the runtime', async () => {
    await using server = await respondingWith(421);
    const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, { ...init });
    expect(await failureOf(clientOf(server, { fetch }).payments.create(paymentRequest))).toMatchObject({ status: 421 });
    expect(wire(server)).toEqual(once(text));
  });
});

describe('createOnce after a 421', () => {
  const serving = (payments: readonly unknown[]) =>
    new FaultServer((response, { method }) =>
      method === 'POST'
        ? json(response, 421, {})
        : json(response, 200, { items: payments, nextCursor: null, hasMore: false }),
    ).listen();

  it('finds a payment that was created', async () => {
    const platform = createMockPlatform({ seed: 1 });
    const request = platform.payments.createParams({ amount: '10.00', currencyCode: 'USD' });
    await new Corridor(platform.clientOptions()).payments.create(request);
    const { items } = await new Corridor(platform.clientOptions()).payments.list();
    await using server = await serving(items);
    const result = await clientOf(server, new InstantDelays().options).payments.createOnce(request);
    expect(result).toMatchObject({ payment: { id: items[0]?.id }, recovered: true });
    expect(posts(server)).toHaveLength(1);
  });

  it('leaves no pending entry if 421 is in rejectedStatuses', async () => {
    await using server = await serving([]);
    const journal = new MemoryJournal();
    const dialect = { rejectedStatuses: [400, 401, 403, 404, 421, 422, 429] };
    expect(await failureOf(clientOf(server, { journal, dialect }).payments.createOnce(paymentRequest))).toMatchObject({
      status: 421,
      outcome: 'rejected',
    });
    expect(await journal.listPending()).toEqual([]);
  });

  it('reports that the outcome of a payment that is not listed is unknown', async () => {
    await using server = await serving([]);
    const error = await failureOf(clientOf(server, new InstantDelays().options).payments.createOnce(paymentRequest));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', cause: { status: 421 } });
    expect(posts(server)).toHaveLength(1);
  });
});

describe('a fetch without support for streams', () => {
  it('built on node:http reads the body as text', async () => {
    await using server = await respondingWith(422);
    const fetch: typeof globalThis.fetch = (input, init) =>
      new Promise((resolve, reject) => {
        const outgoing = httpRequest(
          String(input),
          { method: init?.method ?? 'GET', headers: { ...(init?.headers as Record<string, string>) } },
          (incoming) => {
            incoming.resume().on('end', () => resolve(new Response('{}', { status: incoming.statusCode ?? 0 })));
          },
        );
        outgoing.on('error', reject).end(String(init?.body));
      });
    expect(await failureOf(clientOf(server, { fetch }).payments.create(paymentRequest))).toMatchObject({ status: 422 });
    expect(wire(server)).toEqual(once(text));
  });

  it('that is a test double parses the body', async () => {
    const bodies: unknown[] = [];
    const fetch: typeof globalThis.fetch = (_input, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return Promise.resolve(new Response('{}', { status: 422 }));
    };
    await failureOf(clientOf({ url: 'http://127.0.0.1:1' }, { fetch }).payments.create(paymentRequest));
    expect(bodies).toEqual([paymentRequest]);
  });

  it('that responds before it has read the body has sent the request', async () => {
    let requests = 0;
    const fetch: typeof globalThis.fetch = () => {
      requests += 1;
      const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
      return Promise.resolve(new Response(broken, { status: 201, headers: { 'content-type': 'application/json' } }));
    };
    const { payments } = clientOf({ url: 'http://127.0.0.1:1' }, { fetch, maxRetries: 2 });
    expect(await failureOf(payments.create(paymentRequest))).toMatchObject({ outcome: 'applied' });
    expect(requests).toBe(1);
  });

  it('of a browser, which sets content-length itself, receives a string', async () => {
    const inits: (RequestInit | undefined)[] = [];
    const fetch: typeof globalThis.fetch = (_input, init) => {
      inits.push(init);
      return Promise.resolve(new Response('{}', { status: 422 }));
    };
    vi.stubGlobal(
      'Request',
      class extends Request {
        constructor(...parameters: ConstructorParameters<typeof Request>) {
          super(...parameters);
          this.headers.delete('content-length');
        }
      },
    );
    await failureOf(clientOf({ url: 'http://127.0.0.1:1' }, { fetch }).payments.create(paymentRequest));
    expect(inits.map((init) => init?.body)).toEqual([text]);
    expect(inits[0]?.headers).not.toHaveProperty('content-length');
  });
});
