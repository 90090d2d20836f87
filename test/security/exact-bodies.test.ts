import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError, type Corridor, type CustomRequest, type PaymentCreateParams } from 'corridor-sdk';
import { clientOf, FaultServer, json, paymentRequest } from '../support/fault-server.ts';
import { patience, sizes } from './sizes.ts';

const accepting = () => new FaultServer((response) => json(response, 200, {})).listen();
const post = (corridor: Corridor, body: unknown): Promise<unknown> =>
  Promise.resolve(corridor.request({ method: 'POST', path: '/api/v1/reports', body })).catch(
    (reason: unknown) => reason,
  );

describe('a body is rejected or arrives exactly', patience, () => {
  it(`${sizes.bodies} arbitrary bodies: their JSON arrives byte for byte`, async () => {
    await using server = await accepting();
    const corridor = clientOf(server, { maxRetries: 0 });
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
      maxDepth: 5,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anything,
          fc.jsonValue(),
          fc.object({ key: fc.constantFrom('__proto__', 'constructor', 'toString', 'then', 'a', '0') }),
        ),
        async (body) => {
          server.received.length = 0;
          const result = await post(corridor, body);
          if (result instanceof InvalidRequestError) {
            expect(server.received).toEqual([]);
            return;
          }
          const [arrived] = server.received;
          expect(arrived?.body).toBe(body === undefined ? '' : JSON.stringify(body));
          expect(arrived?.claims['bodyHash']).toBe(
            createHash('sha256')
              .update(arrived?.body ?? '')
              .digest('hex'),
          );
        },
      ),
      { numRuns: sizes.bodies },
    );
  });

  it(`${sizes.bodies} arbitrary JSON values: all are accepted`, async () => {
    await using server = await accepting();
    const corridor = clientOf(server, { maxRetries: 0 });
    const wellFormed = fc
      .jsonValue({ maxDepth: 6 })
      .filter((value) => JSON.stringify(value).isWellFormed() && !JSON.stringify(value).includes(String.raw`\ud`));
    await fc.assert(
      fc.asyncProperty(wellFormed, async (body) => {
        server.received.length = 0;
        await post(corridor, body);
        expect(server.received.map((arrived) => arrived.body)).toEqual([JSON.stringify(body)]);
      }),
      { numRuns: sizes.bodies },
    );
  });
});

describe('a body that JSON does not preserve', () => {
  class Money {
    readonly #amount = '10.00';
    readonly currency = 'USD';
    toJSON(): string {
      return `${this.#amount} ${this.currency}`;
    }
  }
  class Line {
    readonly item = 'coffee';
    readonly count = 2;
  }

  it('an object with toJSON: rejected with its path', async () => {
    await using server = await accepting();
    const error = await post(clientOf(server), { total: new Money() });
    expect((error as InvalidRequestError).issues).toEqual([
      {
        path: 'body.total',
        message: 'must be JSON (received an object with toJSON: pass the value that toJSON returns)',
      },
    ]);
    expect(server.received).toEqual([]);
  });

  it('an object of a class with getters, which JSON omits: rejected with their names in a payment, a body and a filter', async () => {
    await using server = await accepting();
    class Order {
      readonly #order = 4711;
      get memo(): string {
        return `order-${this.#order}`;
      }
    }
    class Open {
      get status(): 'COMPLETED' {
        return 'COMPLETED';
      }
    }
    const corridor = clientOf(server);
    const message = 'is a getter of a class, which JSON omits: pass a plain object';
    const payment = corridor.payments
      .create(Object.assign(new Order(), paymentRequest) as PaymentCreateParams)
      .catch((reason: unknown) => reason);
    const page = corridor.payments
      .list(new Open())
      .toArray()
      .catch((reason: unknown) => reason);
    for (const [call, path] of [
      [payment, 'memo'],
      [post(corridor, { order: new Order() }), 'body.order.memo'],
      [page, 'status'],
    ] as const) {
      expect(((await call) as InvalidRequestError).issues).toEqual([{ path, message }]);
    }
    expect(server.received).toEqual([]);
  });

  it('a Date of a filter that is changed during iteration: has no effect', async () => {
    await using server = await new FaultServer((response, _, number) =>
      json(response, 200, { items: [], nextCursor: number === 1 ? 'next' : null, hasMore: number === 1 }),
    ).listen();
    const createdFrom = new Date('2020-01-01T00:00:00Z');
    const pages = clientOf(server).payments.list({ createdFrom });
    createdFrom.setUTCFullYear(2090);
    await pages.toArray();
    expect(server.received.map(({ url }) => new URL(url, server.url).searchParams.get('createdFrom'))).toEqual([
      '2020-01-01T00:00:00.000Z',
      '2020-01-01T00:00:00.000Z',
    ]);
  });

  it('an object of a class: sent by its fields', async () => {
    await using server = await accepting();
    await post(clientOf(server), { lines: [new Line()] });
    expect(server.received[0]?.body).toBe('{"lines":[{"item":"coffee","count":2}]}');
  });

  it.each<readonly [name: string, make: () => unknown]>([
    [
      'a getter that throws',
      () => ({
        get total() {
          throw new Error('canary-of-a-getter');
        },
      }),
    ],
    [
      'a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('canary-of-a-proxy');
            },
          },
        ),
    ],
    [
      'a revoked proxy',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
  ])('%s: rejected with a CorridorError', async (_, make) => {
    await using server = await accepting();
    const error = await post(clientOf(server), make());
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as Error).message).not.toContain('canary');
    expect(
      await Promise.resolve(clientOf(server).payments.create(make() as PaymentCreateParams)).catch(
        (reason: unknown) => reason,
      ),
    ).toBeInstanceOf(InvalidRequestError);
    expect(server.received).toEqual([]);
  });

  it('a request whose getters return different values: each is read once', async () => {
    await using server = await accepting();
    let requests = 0;
    const shifting = {
      path: '/api/v1/reports',
      get method() {
        requests += 1;
        return requests === 1 ? 'POST' : 'CONNECT';
      },
    };
    await clientOf(server)
      .request(shifting as CustomRequest)
      .catch(() => {});
    expect(server.received.map(({ method }) => method)).toEqual(['POST']);
  });

  it('getters are read once, and later changes have no effect', async () => {
    await using server = await accepting();
    let requests = 0;
    const documentIds = ['doc_1'];
    const body = {
      ...paymentRequest,
      documentIds,
      get memo() {
        requests += 1;
        return `read ${requests}`;
      },
    };
    const call = clientOf(server).payments.create(body);
    documentIds.push('doc_2');
    await Promise.resolve(call).catch(() => {});
    expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({ memo: 'read 1', documentIds: ['doc_1'] });
  });
});
