import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CorridorError, type CorridorOptions, ServerError } from 'corridor-sdk';
import { failureOf } from '../../simulation/failure.js';
import { scripted } from '../../client/scripted-fetch.js';
import { paymentRequest } from '../fault-server.js';
import { VirtualTime } from '../virtual-time.js';
import { attemptErrors } from './attempts.js';

// The errors are those of a fetch option, which can throw anything.

const errorWith = (fields: object, message = 'failed'): Error => Object.assign(new Error(message), fields);
const unconnected = (fields: object = {}): Error => errorWith({ code: 'ECONNREFUSED', syscall: 'connect', ...fields });
const reset = (): Error => errorWith({ code: 'ECONNRESET', syscall: 'read' });
const aggregate = (errors: readonly unknown[], fields: object = {}): AggregateError =>
  Object.assign(new AggregateError(errors), fields);
const causes = (count: number, first = unconnected()): Error => {
  let error = first;
  for (let index = 0; index < count; index += 1) error = new Error('wrapped', { cause: error });
  return error;
};
const cycle = (): Error => {
  const error = unconnected();
  return Object.assign(error, { cause: new Error('wrapped', { cause: error }) });
};

const unreadable = (): Error =>
  Object.defineProperty(unconnected(), 'cause', {
    get: () => {
      throw unconnected();
    },
  });

/** Creates a payment; each attempt ends as `respond` says. */
async function create(
  respond: () => unknown,
  options: CorridorOptions = {},
): Promise<{ readonly error: CorridorError; readonly posts: number }> {
  const { corridor, sent } = scripted(respond, { ...new VirtualTime().options, ...options });
  const error = await failureOf(corridor.payments.create(paymentRequest));
  return { error, posts: sent.length };
}

const createThrowing = (thrown: unknown) => create(() => Promise.reject(thrown));

describe('an error before the response proves that nothing was sent', () => {
  it.each<readonly [string, unknown]>([
    ['if connecting failed', unconnected()],
    ['if it has no system call, as in other runtimes', errorWith({ code: 'ECONNREFUSED' })],
    ['if it is the cause of another error', new TypeError('fetch failed', { cause: unconnected() })],
    ['if its causes say nothing', unconnected({ cause: causes(62, new Error('unknown')) })],
    ['if all addresses of a host refused', aggregate([unconnected(), unconnected()], { code: 'ECONNREFUSED' })],
    ['if one of them timed out', aggregate([errorWith({ code: 'ETIMEDOUT', syscall: 'connect' }), unconnected()])],
    [
      'if one of them failed in several ways',
      aggregate([aggregate([unconnected()]), new Error('a', { cause: unconnected() })]),
    ],
    ['if the same error is listed twice', aggregate(Array.from({ length: 2 }).fill(unconnected()))],
    ['if the proxy closed the connection', errorWith({ code: 'UND_ERR_PRX_CONN', cause: reset() })],
    ['if a host has many addresses', aggregate(Array.from({ length: 63 }, () => unconnected()))],
  ])('%s', async (_name, thrown) => {
    const { error, posts } = await createThrowing(thrown);
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection' });
    expect(posts).toBe(3);
  });
});

describe('an error before the response proves nothing, so that one POST is sent', () => {
  it.each<readonly [string, unknown]>([
    ['if it aggregates no errors', aggregate([], { code: 'ECONNREFUSED' })],
    [
      'if it has lost the errors that it aggregates',
      aggregate([unconnected()], { code: 'ECONNREFUSED', errors: undefined }),
    ],
    ['if its errors are not an array', unconnected({ errors: null })],
    [
      'if its errors are missing from the array',
      aggregate([], { errors: Array.from<unknown>({ length: 2 }), code: 'ECONNREFUSED' }),
    ],
    [
      'if its array of errors has only holes',
      aggregate([], { errors: Object.assign([], { length: 2 }), code: 'ECONNREFUSED' }),
    ],
    ['if one of its errors is of a connection', aggregate([unconnected(), reset()], { code: 'ECONNREFUSED' })],
    ['if one of its errors says nothing', aggregate([unconnected(), new Error('unknown')], { code: 'ECONNREFUSED' })],
    ['if one of its errors is not an object', aggregate([unconnected(), 'ECONNREFUSED'])],
    [
      'if one of its errors aggregates such an error',
      aggregate([aggregate([reset()], { code: 'ECONNREFUSED' }), unconnected()], { code: 'ECONNREFUSED' }),
    ],
    ['if one of its errors aggregates no errors', aggregate([unconnected(), aggregate([], { code: 'ECONNREFUSED' })])],
    ['if an aggregate is caused by a broken connection', aggregate([unconnected()], { cause: reset() })],
    ['if it is caused by a broken connection', unconnected({ cause: reset() })],
    ['if a proof is caused by a broken connection', errorWith({ cause: reset() }, 'bad port')],
    ['if a broken connection is caused by it', errorWith({ code: 'ECONNRESET', cause: unconnected() })],
    ['if it is its own cause', cycle()],
    ['if it aggregates itself', ((error) => Object.assign(error, { errors: [error] }))(unconnected())],
    ['if it has more causes than are read', unconnected({ cause: causes(63, new Error('unknown')) })],
    ['if it has more causes than the stack', causes(100_000)],
    ['if nothing is known of it', aggregate([])],
    ['if it cannot be read', unreadable()],
    ['if it is no error', 'ECONNREFUSED'],
  ])('%s', async (_name, thrown) => {
    const { error, posts } = await createThrowing(thrown);
    expect(error).toMatchObject({ outcome: 'unknown', code: 'connection' });
    expect(error.message).not.toContain('refused');
    expect(posts).toBe(1);
  });

  it('if any part of it is of an established connection, wherever it is', async () => {
    const { tree } = fc.letrec<{ tree: Error; leaf: Error; branch: Error }>((tie) => ({
      leaf: fc.constantFrom(unconnected, () => errorWith({ code: 'ENOTFOUND' })).map((make) => make()),
      branch: fc
        .tuple(fc.array(tie('tree'), { minLength: 1, maxLength: 3 }), fc.option(tie('tree'), { nil: undefined }))
        .map(([errors, cause]) => aggregate(errors, { code: 'ECONNREFUSED', cause })),
      tree: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('branch')),
    }));
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.constantFrom(reset, () => aggregate([])),
        fc.nat(),
        async (root, make, at) => {
          const all = partsOf(root);
          const place = all[at % all.length] as Error & { errors?: unknown[] };
          if (place.errors === undefined) place.cause = make();
          else place.errors.push(make());
          expect(await createThrowing(root)).toMatchObject({ posts: 1, error: { outcome: 'unknown' } });
        },
      ),
      { numRuns: 60 },
    );
  });
});

function partsOf(error: Error & { readonly errors?: readonly Error[] }): Error[] {
  const { errors = [], cause } = error;
  return [error, ...errors.flatMap(partsOf), ...(cause instanceof Error ? partsOf(cause) : [])];
}

describe('an error after the response has arrived', () => {
  const proofs: readonly (readonly [string, Error])[] = [
    ['ECONNREFUSED', unconnected()],
    ['ENOTFOUND', errorWith({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['CERT_HAS_EXPIRED', errorWith({ code: 'CERT_HAS_EXPIRED' })],
    ['UND_ERR_PRX_TLS', errorWith({ code: 'UND_ERR_PRX_TLS' })],
    ['FETCH_FAILED', errorWith({}, 'bad port')],
    ['FETCH_FAILED', unreadable()],
  ];
  const failingBody = (error: unknown): ReadableStream =>
    new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array([123])), pull: () => Promise.reject(error) });

  it.each(proofs)('%s in the body of a 2xx: the payment was applied, and one POST is sent', async (code, thrown) => {
    const { error, posts } = await create(() => new Response(failingBody(thrown), { status: 201 }));
    expect(error).toMatchObject({ outcome: 'applied', code: 'connection', cause: { code } });
    expect(error.message).toMatch(/: the (connection broke|TLS connection failed)/);
    expect(posts).toBe(1);
  });

  it.each(proofs)('%s in the body of a 2xx: a read is repeated', async (code, thrown) => {
    const { corridor } = scripted(() => new Response(failingBody(thrown)), new VirtualTime().options);
    expect(attemptErrors(await failureOf(corridor.crypto.networks()))).toEqual([code, code, code]);
  });

  it.each(proofs)('%s in the body of a 5xx: the outcome is unknown, and one POST is sent', async (_code, thrown) => {
    const { error, posts } = await create(() => new Response(failingBody(thrown), { status: 503 }));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ outcome: 'unknown', status: 503 });
    expect(posts).toBe(1);
  });

  it('in its headers: the payment was applied', async () => {
    const response = Object.defineProperty(new Response('{}', { status: 201 }), 'headers', {
      get: () => {
        throw unconnected();
      },
    });
    const { error, posts } = await create(() => response);
    expect([error.outcome, posts]).toEqual(['applied', 1]);
  });
});
