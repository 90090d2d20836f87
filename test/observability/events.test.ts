import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { generateKeyPairSync } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import {
  Corridor,
  type CallEvent,
  type Hooks,
  type WorkflowEvent,
  type CorridorOptions,
  type RequestErrorEvent,
  type Logger,
  type RequestEvent,
  type ResponseEvent,
  type RetryEvent,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { connectionError, FaultyPlatform, notProcessed, processed } from '../support/faulty-platform.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

const respondingWith = (...statuses: number[]): typeof fetch => {
  let at = 0;
  return async () => {
    const status = statuses[Math.min(at++, statuses.length - 1)] as number;
    const body =
      status === 200
        ? { networks: [] }
        : { code: 'BUSY', message: 'later', iban: 'DE89370400440532013000', nested: { companyName: 'Acme' } };
    return Response.json(body, { status, headers: { 'x-request-id': `req_${at}` } });
  };
};

const client = (fetch: typeof globalThis.fetch, options: CorridorOptions = {}): Corridor =>
  new Corridor({
    baseUrl: 'https://api.example.com',
    apiKey: 'key_for_tests',
    privateKey: pem,
    fetch,
    now: virtual.now,
    sleep: virtual.wait,
    ...options,
  });

const virtual = {
  time: Date.parse('2026-03-01T12:00:00Z'),
  now: () => virtual.time,
  wait: async (milliseconds: number, signal: AbortSignal) => {
    // Timeouts stay silent; pauses between attempts pass at once.
    if (milliseconds >= 30_000)
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    virtual.time += milliseconds;
  },
};

describe('hooks', () => {
  it('receive each attempt, response and retry of a call that finally succeeds', async () => {
    const events: (RequestEvent | ResponseEvent | RetryEvent)[] = [];
    const note = (event: RequestEvent | ResponseEvent | RetryEvent): void => void events.push(event);
    const corridor = client(respondingWith(503, 200), { hooks: { onRequest: note, onResponse: note, onRetry: note } });
    await corridor.crypto.networks();
    expect(events.map(({ type, attempt }) => `${type} ${attempt}`)).toEqual([
      'request 1',
      'response 1',
      'retry 1',
      'request 2',
      'response 2',
    ]);
    expect(events[1]).toMatchObject({
      endpoint: 'crypto.networks',
      method: 'GET',
      pathTemplate: '/api/v1/crypto/networks',
      status: 503,
      requestId: 'req_1',
    });
  });

  it('receive the error of a call', async () => {
    const errors: RequestErrorEvent[] = [];
    const corridor = client(respondingWith(404), { hooks: { onError: (event) => errors.push(event) } });
    await corridor.customers.get('cus_1').catch(() => {});
    expect(errors).toMatchObject([
      {
        type: 'error',
        endpoint: 'customers.get',
        pathTemplate: '/api/v1/customers/{id}',
        code: 'not-found',
        outcome: 'rejected',
        retryable: false,
        status: 404,
        attempt: 1,
      },
    ]);
  });

  it('cannot make a call fail', async () => {
    const broken = (): never => {
      throw new Error('a bug in a hook');
    };
    const corridor = client(respondingWith(200), {
      hooks: { onRequest: broken, onResponse: broken },
      logger: { debug: broken, warn: broken, error: broken },
    });
    expect(await corridor.crypto.networks()).toEqual([]);
  });

  it('cannot make a call fail or end the process with a rejected promise', async () => {
    const broken = async (): Promise<void> => {
      throw new Error('the exporter is down');
    };
    const corridor = client(async () => Response.json({ networks: [], more: 1 }), {
      hooks: { onRequest: broken, onResponse: broken },
      logger: { debug: broken, warn: broken, error: broken },
      onDrift: broken,
    });
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    expect(await corridor.crypto.networks()).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  it('may be an instance of a class', async () => {
    class Counter {
      #requests = 0;
      responses = 0;
      readonly labels = { service: 'payouts' };
      readonly workflows: string[] = [];
      readonly onRequest = (): void => void (this.#requests += 1);
      onResponse(): void {
        this.responses += 1;
      }
      onWorkflow({ workflow }: WorkflowEvent): void {
        this.workflows.push(workflow);
      }
      get requests(): number {
        return this.#requests;
      }
    }
    class NamedCounter extends Counter {
      name = 'payouts';
    }
    for (const hooks of [new Counter(), new NamedCounter()]) {
      const corridor = client(respondingWith(200), { hooks });
      await corridor.crypto.networks();
      await corridor.payments.find({ id: 'pay_1' }).catch(() => {});
      expect(hooks).toMatchObject({ requests: 2, responses: 2, workflows: ['payments.find'] });
    }
  });

  class Metrics {
    onError: unknown = 'log';
  }
  class Logs {
    get onError(): string {
      return 'log';
    }
  }
  it.each([
    ['a field', new Metrics()],
    ['a getter', new Logs()],
  ])('may not be an instance of a class with %s in place of a method', (_name, hooks) => {
    expect(() => client(respondingWith(200), { hooks: hooks as Hooks })).toThrow(
      'hooks.onError must be a function (received string)',
    );
  });

  it.each([
    ['a Map', new Map()],
    ['a function', () => {}],
  ])('may not be %s', (_name, hooks) => {
    expect(() => client(respondingWith(200), { hooks: hooks as Hooks })).toThrow('hooks must be an object');
  });

  it.each([
    ['of this realm', { onRespons() {} }],
    ['of another realm', runInNewContext('({ onRespons() {} })')],
    ['without a prototype', Object.assign(Object.create(null) as object, { onRespons() {} })],
  ])('may not be misspelled in an object %s', (_name, hooks) => {
    expect(() => client(respondingWith(200), { hooks: hooks as Hooks })).toThrow(
      'onRespons is not a known field (known: onRequest, onResponse, ',
    );
  });

  it('cannot change the event for other listeners', async () => {
    const corridor = client(respondingWith(200), {
      hooks: {
        onRequest: (event) => Object.assign(event, { endpoint: 'other' }),
        onResponse: (event) => expect(event.endpoint).toBe('crypto.networks'),
      },
    });
    await corridor.crypto.networks();
  });
});

describe('a prefetched page that is no longer needed', () => {
  /** A client of 250 payments whose second page never comes, and all that is heard of it. */
  const listening = () => {
    const platform = createMockPlatform();
    platform.payments.addMany(250);
    const events: string[] = [];
    const lines: string[] = [];
    const note = ({ type, endpoint, attempt }: CallEvent & { readonly type: string }): void =>
      void events.push(`${type} ${endpoint} ${attempt}`);
    const levels = ['debug', 'warn', 'error'] as const;
    const logger = Object.fromEntries(
      levels.map((level) => [level, (line: string) => lines.push(`${level} ${line.replace(/\d+ ms/, '0 ms')}`)]),
    ) as unknown as Logger;
    const corridor = new Corridor({
      ...platform.clientOptions(),
      logger,
      hooks: { onRequest: note, onResponse: note, onRetry: note, onError: note, onCancel: note },
      fetch: (input, init) => (String(input).includes('cursor=') ? new Promise(() => {}) : platform.fetch(input, init)),
    });
    return { platform, corridor, events, lines };
  };
  const expectedEvents = [
    'request payments.list 1',
    'response payments.list 1',
    'request payments.list 1',
    'cancel payments.list 1',
  ];

  it('is reported as canceled, not as failed, if iteration ends with break', async () => {
    const { corridor, events, lines } = listening();
    for await (const _ of corridor.payments.list()) {
      await vi.waitFor(() => expect(events).toHaveLength(3));
      break;
    }
    await vi.waitFor(() => expect(events).toEqual(expectedEvents));
    expect(lines.at(-1)).toBe(
      'debug payments.list (GET /api/v1/payment), attempt 1: canceled after 0 ms, no longer needed',
    );
    expect(lines.every((line) => line.startsWith('debug'))).toBe(true);
  });

  it('is reported as canceled if find finds the payment', async () => {
    const { platform, corridor, events } = listening();
    const { id = '' } = platform.payments.all().at(-1) ?? {};
    expect((await corridor.payments.find({ id }))?.id).toBe(id);
    await vi.waitFor(() => expect(events).toEqual(expectedEvents));
  });
});

describe('onDrift', () => {
  it('cannot make a call fail', async () => {
    const corridor = client(async () => Response.json({ networks: [], more: 1 }), {
      onDrift: () => {
        throw new Error('a bug in a listener');
      },
    });
    expect(await corridor.crypto.networks()).toEqual([]);
  });
});

describe('the logger', () => {
  it('receives requests and responses as debug, retries as warn, failures as error', async () => {
    const lines: string[] = [];
    const logger = {
      debug: (line: string) => lines.push(`debug ${line}`),
      warn: (line: string) => lines.push(`warn ${line}`),
      error: (line: string) => lines.push(`error ${line}`),
    };
    await client(respondingWith(503, 404), { logger })
      .customers.get('cus_secret')
      .catch(() => {});
    expect(lines).toEqual([
      'debug customers.get (GET /api/v1/customers/{id}), attempt 1: sending',
      'debug customers.get (GET /api/v1/customers/{id}), attempt 1: 503 in 0 ms',
      expect.stringMatching(
        /^warn customers\.get \(GET \/api\/v1\/customers\/\{id\}\), attempt 1: 503, retrying in \d+ ms$/,
      ),
      'debug customers.get (GET /api/v1/customers/{id}), attempt 2: sending',
      'debug customers.get (GET /api/v1/customers/{id}), attempt 2: 404 in 0 ms',
      expect.stringMatching(
        /^error customers\.get \(GET \/api\/v1\/customers\/\{id\}\), attempt 2: not-found, outcome rejected, after \d+ ms$/,
      ),
    ]);
  });

  it.each([
    ['as a warning if createOnce finds the payment', processed(connectionError('ECONNRESET')), []],
    [
      'as a warning, and the error of createOnce as an error if it does not',
      notProcessed(connectionError('ECONNRESET')),
      ['payments.createOnce: payment-outcome-unknown, outcome unknown, retryable true'],
    ],
  ])('receives a lost response %s', async (_name, handler, expected) => {
    const faulty = new FaultyPlatform().onCreate(handler);
    const lines: Record<'warn' | 'error', string[]> = { warn: [], error: [] };
    const logger = {
      debug: () => {},
      warn: (line: string) => lines.warn.push(line),
      error: (line: string) => lines.error.push(line),
    };
    const { payments } = faulty.client({ logger });
    await faulty.run(() => payments.createOnce(faulty.payable())).catch(() => {});
    expect(lines.warn).toEqual([expect.stringMatching(/^payments\.create .*: connection, outcome unknown/)]);
    expect(lines.error).toEqual(expected);
  });

  it('writes one line per event if it is the console', async () => {
    const lines: string[] = [];
    const stream = new Writable({ write: (text: Buffer, _encoding, done) => done(void lines.push(text.toString())) });
    await client(respondingWith(503, 404), { logger: new Console(stream) })
      .customers.get('cus_secret')
      .catch(() => {});

    expect(lines).toHaveLength(6);
    for (const line of lines)
      expect(line).toMatch(
        /^customers\.get \(.*\), attempt \d: .* \{ callId: '[-\da-f]{36}'(, requestId: 'req_\d')? \}\n$/,
      );
    const ids = lines.map((line) => /, requestId: '(\w+)' \}/.exec(line)?.[1]);
    expect(ids).toEqual([undefined, 'req_1', undefined, undefined, 'req_2', 'req_2']);
  });

  it('gets nothing of a path that the caller wrote', async () => {
    const seen: unknown[] = [];
    const logger = { debug: (...line: unknown[]) => seen.push(line), warn: () => {}, error: () => {} };
    await client(respondingWith(200), { logger }).request({ method: 'GET', path: '/api/v1/customers/cus_secret' });
    expect(JSON.stringify(seen)).not.toContain('cus_secret');
  });
});

describe("Node's diagnostics_channel", () => {
  it('gets the same events', async () => {
    const heard: unknown[] = [];
    const listener = (event: unknown): void => void heard.push(event);
    subscribe('corridor-sdk:response', listener);
    await client(respondingWith(200)).crypto.networks();
    unsubscribe('corridor-sdk:response', listener);
    expect(heard).toMatchObject([{ type: 'response', endpoint: 'crypto.networks', status: 200, attempt: 1 }]);
  });
});
