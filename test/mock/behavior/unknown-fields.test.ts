import type { MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart } from '../fixture.ts';
import { call } from '../sign.ts';

const networks = '/api/v1/crypto/networks';
const create = '/api/v1/payment';
const post = (platform: MockPlatform, json: unknown) =>
  call<{ id?: string; code?: string }>(platform.clientOptions(), { method: 'POST', path: create, json });
const get = (platform: MockPlatform, path: string) =>
  call<{ items?: readonly unknown[]; code?: string }>(platform.clientOptions(), { path });

describe("unknownFields: 'ignore'", () => {
  const tolerant = (): MockPlatform => platformAtStart({ unknownFields: 'ignore' });

  test('a payment is created without its unknown fields', async () => {
    const platform = tolerant();
    const { status, body } = await post(platform, { ...payablePayment(platform), color: 'red' });
    expect(status).toBe(201);
    expect(platform.payments.get(body.id ?? '')).toMatchObject({ amount: '1250.00' });
    expect(platform.payments.get(body.id ?? '')).not.toHaveProperty('color');
  });

  test('the known fields are still validated', async () => {
    const platform = tolerant();
    const { status, body } = await post(platform, { ...payablePayment(platform), color: 'red', amount: 1250 });
    expect([status, body]).toMatchObject([400, { code: 'invalid_body' }]);
    expect(platform.payments.all()).toEqual([]);
  });

  test.each([[[]], ['text'], [null], [1]])('a body of %j is still rejected', async (json) => {
    expect(await post(tolerant(), json)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  });

  test('an unknown query parameter has no effect', async () => {
    const platform = tolerant();
    platform.payments.addMany(3);
    expect((await get(platform, `${create}?color=red&limit=2`)).body.items).toHaveLength(2);
    expect(await get(platform, `${networks}?limit=2`)).toMatchObject({ status: 200 });
  });

  test('the known query parameters are still validated', async () => {
    const platform = tolerant();
    expect(await get(platform, `${create}?color=red&limit=0`)).toMatchObject({ status: 400 });
    expect(await get(platform, `${create}?limit=1&limit=2`)).toMatchObject({ status: 400 });
  });
});

test('by default, unknown fields and query parameters are rejected', async () => {
  const platform = platformAtStart();
  expect(await post(platform, { ...payablePayment(platform), color: 'red' })).toMatchObject({ status: 400 });
  expect(await get(platform, `${create}?color=red`)).toMatchObject({ status: 400 });
  expect(await get(platform, `${networks}?limit=2`)).toMatchObject({ status: 400 });
});
