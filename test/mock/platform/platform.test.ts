import { Corridor } from 'corridor-sdk';
import { createMockPlatform, MockPlatform, MockPlatformError } from 'corridor-sdk/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { platformAtStart, start } from '../fixture.ts';
import { send } from '../sign.ts';
import { dataOf } from './data.ts';

afterEach(() => void vi.useRealTimers());

describe('a new platform', () => {
  test('has crypto networks and no records', async () => {
    const platform = createMockPlatform();
    expect(dataOf(platform)).toEqual([[], [], [], [], [], [], []]);
    expect(platform.requests).toHaveLength(0);
    const corridor = new Corridor(platform.clientOptions());
    expect(await corridor.crypto.networks()).not.toHaveLength(0);
    expect((await corridor.payments.list()).items).toEqual([]);
  });

  test('can also be created with new', () => {
    expect(new MockPlatform({ seed: 'a' })).toMatchObject({ seed: 'a', baseUrl: 'https://api.corridor.test' });
  });

  test.each([
    ['http://localhost:4010', 'http://localhost:4010'],
    ['https://gateway.example/corridor/', 'https://gateway.example/corridor'],
  ])('responds at its base URL %s', async (baseUrl, resolved) => {
    const platform = createMockPlatform({ baseUrl });
    platform.documents.add({ id: 'doc_1', content: 'hello' });
    const corridor = new Corridor(platform.clientOptions());
    expect(platform.baseUrl).toBe(resolved);
    expect(await corridor.customers.list().toArray()).toHaveLength(1);
    expect((await corridor.documents.downloadUrl('doc_1')).url.startsWith(`${resolved}/`)).toBe(true);
    expect(await (await corridor.documents.download('doc_1')).text()).toBe('hello');
  });

  test.each([
    [
      { baseUrl: 'ftp://a' },
      'createMockPlatform: baseUrl must be an http or https URL without a query or a fragment (received "ftp://a")',
    ],
    [
      { baseUrl: 'https://a/?b' },
      'createMockPlatform: baseUrl must be an http or https URL without a query or a fragment (received "https://a/?b")',
    ],
    [{ pageSize: 0 }, 'createMockPlatform: pageSize must be an integer from 1 to 100 (received 0)'],
    [{ pageSize: 2.5 }, 'createMockPlatform: pageSize must be an integer from 1 to 100 (received 2.5)'],
    [
      { quoteLifetime: 0 },
      'createMockPlatform: quoteLifetime must be a number of seconds greater than 0 and at most 1e9 (received 0)',
    ],
    [
      { urlLifetime: Number.NaN },
      'createMockPlatform: urlLifetime must be a number of seconds greater than 0 and at most 1e9 (received NaN)',
    ],
    [
      { maxRequestBytes: -1 },
      'createMockPlatform: maxRequestBytes must be an integer of bytes, at least 1 (received -1)',
    ],
    [{ logSize: 0 }, 'createMockPlatform: logSize must be an integer of at least 1 (received 0)'],
  ])('rejects %o', (options, message) => {
    expect(() => createMockPlatform(options)).toThrow(new MockPlatformError(message));
  });
});

describe('a seed', () => {
  test('produces the same ids, data and order', () => {
    const [one, same, other] = [1, 1, 2].map((seed) => platformAtStart({ seed }));
    for (const platform of [one, same, other]) platform?.populate();
    expect(dataOf(one as MockPlatform)).toEqual(dataOf(same as MockPlatform));
    expect(one?.payments.all()[0]?.id).not.toBe(other?.payments.all()[0]?.id);
    expect(one?.id).toBe(same?.id);
    expect(one?.clientOptions().apiKey).not.toBe(other?.clientOptions().apiKey);
  });

  test('produces the same request ids', async () => {
    const ids = await Promise.all(
      [1, 1].map(async (seed) => {
        const platform = createMockPlatform({ seed });
        const response = await platform.fetch(platform.baseUrl);
        return response.headers.get('x-request-id');
      }),
    );
    expect(ids[0]).toMatch(/^req_\w{16}$/);
    expect(ids[0]).toBe(ids[1]);
  });

  test('produces the same ids independently of other record kinds and organizations', () => {
    const [one, other] = [platformAtStart(), platformAtStart()];
    other.tickets.addMany(3);
    other.organization().customers.addMany(3);
    expect(one.customers.add()).toEqual(other.customers.add());
  });
});

test('reset removes all records but keeps the organizations', async () => {
  const platform = platformAtStart();
  const acme = platform.organization();
  const { id } = platform.customers.add();
  acme.customers.add();
  const corridor = new Corridor({ ...acme.clientOptions(), claims: () => ({ jti: 'same' }) });
  await corridor.customers.list();
  platform.clock.advance({ days: 1 });
  platform.reset();
  expect(platform.clock.now()).toBe(Date.parse(start));
  expect(platform.requests).toHaveLength(0);
  expect((await corridor.customers.list()).items).toEqual([]);
  expect(platform.customers.add().id).toBe(id);
});

test('a response that violates the contract is a 501 that names the field', async () => {
  const platform = platformAtStart();
  const { id, customerId } = platform.beneficiaries.add({ version: Number.MAX_SAFE_INTEGER });
  platform.beneficiaries.transition(id, 'SUSPENDED');
  const response = await send(platform.clientOptions(), { path: `/api/v1/customers/${customerId}/beneficiaries` });
  expect(response.status).toBe(501);
  expect(await response.json()).toMatchObject({
    code: 'mock_failure',
    message:
      'the response of customers.beneficiaries violates the contract: items[0].version must be an integer (received an integer too large to be exact). Fix the records in it.',
  });
  expect(platform.requests.at(-1)).toMatchObject({ endpoint: 'customers.beneficiaries', status: 501 });
});

describe('the clock', () => {
  test('follows the system clock, including fake timers', () => {
    vi.useFakeTimers({ now: Date.parse('2030-01-01T00:00:00Z') });
    const platform = createMockPlatform();
    expect(platform.customers.add().createdAt).toBe('2030-01-01T00:00:00.000Z');
    vi.advanceTimersByTime(1500);
    expect(platform.clock.now()).toBe(Date.parse('2030-01-01T00:00:01.500Z'));
  });

  test('stops when it is set, frozen or advanced, until it is resumed', () => {
    let now = 1000;
    const { clock } = createMockPlatform({ now: () => now });
    clock.freeze();
    now = 2000;
    expect(clock.now()).toBe(1000);
    clock.advance({ seconds: 1, minutes: 1, hours: 1, days: 1 });
    expect(clock.now()).toBe(90_062_000);
    clock.set(new Date(5000));
    now = 3000;
    expect(clock.now()).toBe(5000);
    clock.resume();
    now = 3500;
    expect(clock.now()).toBe(5500);
    clock.resume();
    expect(clock.now()).toBe(5500);
    clock.freeze('1970-01-01T00:00:09Z');
    expect(clock.now()).toBe(9000);
    clock.reset();
    expect(clock.now()).toBe(3500);
  });

  test.each([
    [(platform: MockPlatform) => platform.clock.set('soon'), 'clock.set: "soon" is not a valid time'],
    [
      (platform: MockPlatform) => platform.clock.set('1'),
      'clock.set: "1" is not a valid time. Pass a Date, an ISO 8601 string with a time zone such as',
    ],
    [
      (platform: MockPlatform) => platform.clock.set('2026-03-01T09:00'),
      'clock.set: "2026-03-01T09:00" is not a valid time',
    ],
    [
      (platform: MockPlatform) => platform.clock.set('2026-02-30T09:00Z'),
      'clock.set: "2026-02-30T09:00Z" is not a valid time',
    ],
    [
      (platform: MockPlatform) => platform.clock.advance({ minutes: '5' as never }),
      'clock.advance: minutes must be a number (received "5")',
    ],
    [(platform: MockPlatform) => platform.clock.set(Number.NaN), 'clock.set: null is not a valid time'],
    [(platform: MockPlatform) => platform.clock.set(8.64e15 + 1), 'clock.set: 8640000000000001 is not a valid time'],
    [
      (platform: MockPlatform) => platform.clock.advance({ days: Infinity }),
      'clock.advance: days must be a number (received Infinity)',
    ],
    [
      (platform: MockPlatform) => platform.clock.advance({ seconds: -1 }),
      'clock.advance: the duration must be a duration of 0 or more, such as { minutes: 15 }. To move the clock back, use clock.set',
    ],
    [
      (platform: MockPlatform) => platform.clock.advance({ weeks: 1 } as never),
      'clock.advance: weeks is not a known field (known: days, hours, minutes, seconds)',
    ],
  ])('rejects invalid times: %#', (move, message) => {
    expect(() => move(createMockPlatform())).toThrow(message);
  });

  test('can be changed without breaking a client', async () => {
    const platform = createMockPlatform();
    const corridor = new Corridor(platform.clientOptions());
    for (const days of [1, 400]) {
      platform.clock.advance({ days });
      await expect(corridor.crypto.networks()).resolves.not.toHaveLength(0);
    }
    platform.clock.set('2000-01-01T00:00:00Z');
    await expect(corridor.crypto.networks()).resolves.not.toHaveLength(0);
  });

  test('is the date of every response', async () => {
    const platform = platformAtStart();
    const response = await platform.fetch(`${platform.baseUrl}/anything`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      date: 'Sun, 01 Mar 2026 09:00:00 GMT',
      'content-type': 'application/json',
      'x-request-id': expect.stringMatching(/^req_/),
    });
  });
});
