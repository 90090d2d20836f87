import { afterEach, describe, expect, it } from 'vitest';
import { Corridor, CorridorError } from 'corridor-sdk';
import {
  clientOf,
  FaultServer,
  json,
  networks,
  paymentRequest,
  type Responder,
  type Received,
} from '../support/fault-server.ts';
import { privateKey } from '../support/key.ts';
import { gadgets, evil } from './gadgets.ts';

const prototype = Object.prototype as unknown as Record<string, unknown>;
const builtIn = new Set(Object.getOwnPropertyNames(Object.prototype));

afterEach(() => {
  for (const name of Object.getOwnPropertyNames(Object.prototype)) if (!builtIn.has(name)) delete prototype[name];
});

/** As careless merging of foreign data does it; `hidden` as code that means to hide it. */
function pollute(name: string, value: unknown, hidden = false): void {
  const descriptor = Object.assign(Object.create(null) as PropertyDescriptor, {
    value,
    enumerable: !hidden,
    configurable: true,
    writable: true,
  });
  Object.defineProperty(prototype, name, descriptor);
}

const calls: readonly (readonly [method: string, call: (corridor: Corridor) => PromiseLike<unknown>])[] = [
  ['GET', ({ crypto }) => crypto.networks()],
  ['POST', ({ payments }) => payments.create(paymentRequest)],
  ['DELETE', ({ documents }) => documents.delete('doc_1')],
];

/** Reads succeed and writes are rejected, so a write that resolves has an invented result. */
const respond: Responder = (response, { method }) =>
  method === 'GET' ? json(response, 200, networks) : json(response, 400, {});

/** A received request without the values that differ from one request to the next. */
function arrived({ method, url, body, headers, verified }: Received): unknown {
  const { host: _host, connection: _connection, ...rest } = headers;
  return {
    method,
    url,
    body,
    verified,
    headers: { ...rest, authorization: rest.authorization?.replace(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/, 'Bearer …') },
  };
}

/**
 * Returns the result or error of a call, in an object without a prototype: with another one, a polluted `then`
 * makes a promise.
 */
async function settled(call: PromiseLike<unknown>, afterwards = (): void => {}): Promise<unknown> {
  const box = await new Promise<{ readonly value: unknown }>((resolve) => {
    const carry = (value: unknown): void =>
      resolve(Object.assign(Object.create(null) as { readonly value: unknown }, { value }));
    void call.then(carry, carry);
  });
  afterwards();
  return box.value;
}

describe('a property is added to Object.prototype after the client was created', () => {
  for (const hidden of [false, true]) {
    for (const [index, [name, value]] of gadgets.entries()) {
      it(`${name} (${index}${hidden ? ', hidden' : ''}): the intended request arrives, or nothing is sent`, async () => {
        await using server = await new FaultServer(respond).listen();
        const corridor = clientOf(server, { maxRetries: 0, timeout: 5_000 });
        for (const [, call] of calls) await settled(call(corridor));
        const meant = server.received.splice(0).map(arrived);
        for (const [position, [method, call]] of calls.entries()) {
          const original = Object.getOwnPropertyDescriptor(Object.prototype, name);
          pollute(name, value, hidden);
          const result = await settled(call(corridor), () => {
            if (original === undefined) delete prototype[name];
            else Object.defineProperty(prototype, name, original);
          });
          const came = server.received.splice(0).map(arrived);
          expect(came).toEqual(came.length === 0 ? [] : [meant[position]]);
          // A result is the server's response, and a failure is a CorridorError.
          if (method === 'GET' && came.length === 1 && !(result instanceof Error))
            expect(result).toEqual(networks.networks);
          else expect(result).toBeInstanceOf(CorridorError);
        }
      });
    }
  }

  it('data is rejected by its name before anything is sent', async () => {
    await using server = await new FaultServer(respond).listen();
    const corridor = clientOf(server);
    await corridor.ready();
    pollute('isAdmin', true);
    expect(await settled(corridor.crypto.networks())).toMatchObject({
      code: 'configuration',
      outcome: 'not-sent',
      message: expect.stringContaining('Object.prototype has a property "isAdmin"') as string,
    });
    expect(server.received).toEqual([]);
  });

  it('functions and accessors, which old libraries add, are accepted', async () => {
    await using server = await new FaultServer(respond).listen();
    const corridor = clientOf(server);
    pollute('extend', () => {});
    Object.defineProperty(prototype, 'should', { get: () => 1, configurable: true });
    expect(await settled(corridor.crypto.networks())).toEqual(networks.networks);
  });

  it('a symbol of a test runner is accepted', async () => {
    await using server = await new FaultServer(respond).listen();
    const corridor = clientOf(server);
    const mark = Symbol('$$jest-protect-from-deletion');
    Object.defineProperty(prototype, mark, { value: 'all', configurable: true });
    const result = await settled(corridor.crypto.networks(), () => Reflect.deleteProperty(prototype, mark));
    expect(result).toEqual(networks.networks);
  });

  it.each([Symbol.iterator, Symbol.asyncIterator, Symbol.toPrimitive, Symbol.isConcatSpreadable])(
    '%s, which JavaScript itself reads, is rejected',
    async (symbol) => {
      await using server = await new FaultServer(respond).listen();
      const corridor = clientOf(server);
      await corridor.ready();
      Object.defineProperty(prototype, symbol, { value: () => 'evil', configurable: true });
      const call = settled(corridor.crypto.networks(), () => Reflect.deleteProperty(prototype, symbol));
      expect(await call).toBeInstanceOf(CorridorError);
      expect(server.received).toEqual([]);
    },
  );
});

describe('a property is added to Object.prototype before the client is created', () => {
  it.each<readonly [name: string, value: unknown]>([
    ['baseUrl', evil],
    ['timeout', 1],
    ['dialect', { filterNames: { limit: 'evil' } }],
    ['CORRIDOR_BASE_URL', evil],
  ])('%s is named, and no option is read from it', (name, value) => {
    pollute(name, value);
    const make = (): unknown => new Corridor({ apiKey: 'key_for_tests', privateKey });
    expect(make).toThrow(`Object.prototype has a property "${name}" that could change what is sent`);
  });
});

describe('the options of a call', () => {
  it.each<readonly [name: string, value: unknown]>([
    ['headers', { 'x-evil': '1' }],
    ['signal', AbortSignal.abort()],
    ['timeout', 1],
    ['maxRetries', 0],
    ['totalTimeout', 1],
  ])('%s: nothing is read from Object.prototype, and nothing is sent', async (name, value) => {
    await using server = await new FaultServer(respond).listen();
    const corridor = clientOf(server);
    await corridor.ready();
    pollute(name, value);
    expect(await settled(corridor.crypto.networks())).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(`"${name}"`) as string,
    });
    expect(server.received).toEqual([]);
  });
});
