import { createMockPlatform, MockPlatformError, type MockFault } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { send } from '../sign.ts';

/** Returns the fault as planned; undefined if it was rejected. */
function planned(fault: object): MockFault | 'ok' | undefined {
  const platform = createMockPlatform();
  try {
    platform.faults.next('crypto.networks', fault as MockFault);
  } catch (error) {
    if (!(error instanceof MockPlatformError)) throw error;
    return undefined;
  }
  return platform.faults.list()[0]?.fault;
}

describe('a fault is accepted within its limits only', () => {
  test.each<[kind: string, field: string, accepted: readonly unknown[], rejected: readonly unknown[]]>([
    ['status', 'status', [400, 503, 599], [399, 600, 400.5, '503', Number.NaN, undefined, null]],
    ['rate-limit', 'retryAfterSeconds', [0, 60, 1e9], [-1, 0.5, 1e9 + 1, Infinity, '1', null]],
    ['late-commit', 'after', [0, 1, 1e12], [-1, 1e12 + 1, Number.NaN, Infinity, '1', undefined]],
    ['slow', 'delay', [0, 1, 60_000], [-1, Number.NaN, '1', undefined]],
    ['slow', 'delay', [{ min: 1, max: 2 }], [{ min: 2, max: 1 }, { min: 1 }, [1, 2]]],
    ['response', 'status', [200, 302, 599], [100, 199, 600, '200']],
    ['response', 'patch', [{ memo: null }, { items: { 0: { memo: null } } }], [5, 'a', [], null, { memo: undefined }]],
    ['response', 'omit', [['amount', 'items.*.memo']], ['amount', [''], [5]]],
    ['response', 'headers', [{ 'x-a': '1' }], [{ location: 'https://elsewhere.example/\r\nx: y' }, { location: 'ä' }]],
    ['clock-skew', 'seconds', [-900, 0, 1e9], [1e9 + 1, -1e9 - 1, Number.NaN, '1', undefined]],
  ])('%s: %s', (kind, field, accepted, rejected) => {
    for (const value of accepted) expect(planned({ kind, [field]: value })).toEqual({ kind, [field]: value });
    for (const value of rejected) expect([value, planned({ kind, [field]: value })]).toEqual([value, undefined]);
  });

  test('rate-limit has an optional field', () => {
    expect(planned({ kind: 'rate-limit' })).toEqual({ kind: 'rate-limit' });
  });

  test.each([null, false, 0, '', [], { error: 1 }])('response accepts the body %j', (body) => {
    const fault = { kind: 'response', body };
    expect(planned(fault)).toEqual(fault);
  });

  test.each([null, false, 0, '', [], { error: 1 }])('status accepts the body %j', (body) => {
    expect(planned({ kind: 'status', status: 500, body })).toEqual({ kind: 'status', status: 500, body });
  });

  test.each(['reset', 'reset-after-commit', 'hang', 'hang-after-commit', 'acked-but-lost', 'cut-body', 'stall-body'])(
    '%s takes nothing else',
    (kind) => {
      expect(planned({ kind })).toEqual({ kind });
      expect(planned({ kind, more: 1 })).toBeUndefined();
    },
  );

  test.each([null, undefined, 5, 'reset', { kind: 5 }, { kind: 'toString' }, {}])('%j is not a fault', (fault) => {
    expect(() => createMockPlatform().faults.next('crypto.networks', fault as never)).toThrow(
      /^faults\.next: fault.* must be (?:an object|one of status, rate-limit, reset, )/,
    );
  });

  test('the plan holds a copy, which later changes to the fault do not affect', () => {
    const platform = createMockPlatform();
    const fault = { kind: 'status', status: 500, body: { code: 'one' } };
    platform.faults.next('crypto.networks', fault as MockFault);
    fault.body.code = 'two';
    expect(platform.faults.list()[0]?.fault).toEqual({ kind: 'status', status: 500, body: { code: 'one' } });
  });
});

describe('the headers of a fault', () => {
  const path = '/api/v1/crypto/networks';
  test.each<[MockFault, number, Record<string, string | null>]>([
    [
      { kind: 'response', status: 307, headers: { location: 'https://elsewhere.example/a' } },
      307,
      { location: 'https://elsewhere.example/a', 'retry-after': null },
    ],
    [{ kind: 'rate-limit', retryAfterSeconds: 12 }, 429, { 'retry-after': '12', location: null }],
    [{ kind: 'rate-limit' }, 429, { 'retry-after': null }],
    [{ kind: 'status', status: 503 }, 503, { 'retry-after': null, location: null, 'content-type': 'application/json' }],
    [
      { kind: 'response', body: '<title>Sign in</title>', headers: { 'content-type': 'text/html' } },
      200,
      { 'content-type': 'text/html' },
    ],
    [
      { kind: 'response', body: '{', headers: { 'content-type': 'application/json' } },
      200,
      { 'content-type': 'application/json' },
    ],
  ])('%o', async (fault, status, headers) => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', fault);
    const response = await send(platform.clientOptions(), { path });
    expect(response.status).toBe(status);
    for (const [name, value] of Object.entries(headers))
      expect([name, response.headers.get(name)]).toEqual([name, value]);
  });
});
