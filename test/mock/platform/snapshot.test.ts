import { Corridor } from 'corridor-sdk';
import { createMockPlatform, snapshotFromLines, snapshotToLines, type PlatformSnapshot } from 'corridor-sdk/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { payablePayment, platformAtStart, start } from '../fixture.ts';
import { dataOf } from './data.ts';

afterEach(() => void vi.useRealTimers());

describe('organizations', () => {
  test('have separate ids, keys, records and requests', async () => {
    const platform = platformAtStart();
    const acme = platform.organization({ name: 'Acme' });
    const bolt = platform.organization({ id: 'org_bolt', apiKey: 'key-of-bolt' });
    acme.payments.addMany(2);
    bolt.payments.add();
    for (const [organization, count] of [
      [platform, 0],
      [acme, 2],
      [bolt, 1],
    ] as const) {
      const corridor = new Corridor(organization.clientOptions());
      expect((await corridor.payments.list()).items).toHaveLength(count);
      expect(organization.payments.all()).toHaveLength(count);
    }
    expect(acme.requests.map(({ organization }) => organization)).toEqual([acme.id]);
    expect(bolt.requests).toHaveLength(1);
    expect(platform.requests.map(({ organization }) => organization)).toEqual([platform.id, acme.id, 'org_bolt']);
    expect(platform.organizations.map(({ name }) => name)).toEqual([platform.name, 'Acme', bolt.name]);
    expect(platform.organizations[1]).toBe(acme);
    expect(bolt.clientOptions().apiKey).toBe('key-of-bolt');
  });

  test('cannot share an API key or an id', () => {
    const platform = createMockPlatform({ id: 'org_1', apiKey: 'key' });
    expect(() => platform.organization({ apiKey: 'key' })).toThrow(
      'organization: apiKey already belongs to another organization',
    );
    expect(() => platform.organization({ id: 'org_1' })).toThrow('organization: id org_1 already exists');
    expect(platform.organizations).toHaveLength(1);
  });

  test('cannot use records of another organization', async () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    await expect(new Corridor(acme.clientOptions()).payments.create(payablePayment(platform))).rejects.toMatchObject({
      body: { code: 'customer_not_found' },
    });
  });

  test('are reset separately', async () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    platform.customers.add();
    const { id } = acme.customers.add();
    await new Corridor(acme.clientOptions()).customers.list();
    acme.reset();
    expect(acme.customers.all()).toEqual([]);
    expect(acme.requests).toHaveLength(0);
    expect(platform.customers.all()).toHaveLength(1);
    expect(acme.customers.add().id).toBe(id);
  });
});

describe('snapshot and restore', () => {
  test('restore records, the clock and used tokens, also from JSON and repeatedly', async () => {
    const platform = createMockPlatform();
    platform.clock.set(start);
    platform.populate({ payments: 5, persons: 2 });
    platform.documents.add({ content: Uint8Array.of(0, 255) });
    const acme = platform.organization();
    acme.customers.add();
    const corridor = new Corridor(platform.clientOptions());
    const payment = payablePayment(platform);
    const before = [dataOf(platform), acme.customers.all()];
    const state: unknown = JSON.parse(JSON.stringify(platform.snapshot()));

    for (let round = 0; round < 2; round++) {
      await corridor.payments.create(payment);
      platform.customers.transition(payment.customerId, 'SUSPENDED');
      platform.clock.advance({ days: 1 });
      acme.customers.add();
      platform.restore(state as never);
      expect([dataOf(platform), acme.customers.all()]).toEqual(before);
      expect(platform.clock.now()).toBe(Date.parse(start));
      expect(platform.requests).toHaveLength(0);
    }
    expect(state).toEqual(platform.snapshot());
  });

  test('restore the ids of records that are added later', () => {
    const platform = createMockPlatform();
    platform.payments.add();
    const state = platform.snapshot();
    const { id } = platform.payments.add();
    platform.restore(state);
    expect(platform.payments.add().id).toBe(id);
  });

  test('reject a token that was used before the snapshot', async () => {
    const platform = platformAtStart();
    const corridor = new Corridor({ ...platform.clientOptions(), claims: () => ({ jti: 'same' }) });
    await corridor.crypto.networks();
    platform.restore(platform.snapshot());
    await expect(corridor.crypto.networks()).rejects.toMatchObject({ body: { code: 'token_replayed' } });
  });

  test('remove organizations that were added later, and create missing ones', async () => {
    const platform = createMockPlatform();
    const acme = platform.organization({ name: 'Acme' });
    acme.customers.add();
    const state = platform.snapshot();
    const later = platform.organization();
    platform.restore(state);
    await expect(new Corridor(later.clientOptions()).customers.list()).rejects.toMatchObject({
      body: { code: 'unknown_api_key' },
    });
    const fresh = createMockPlatform();
    fresh.restore(state);
    expect(fresh.organizations[1]?.name).toBe('Acme');
    expect(fresh.organizations[1]?.customers.all()).toEqual(acme.customers.all());
    await expect(
      new Corridor(fresh.organizations[1]?.clientOptions()).customers.list().toArray(),
    ).resolves.toHaveLength(1);
  });

  test('reject a value that is not a snapshot, and a snapshot of another platform', () => {
    const platform = createMockPlatform();
    platform.customers.add();
    expect(() => platform.restore({} as never)).toThrow('restore: this is not a snapshot of a mock platform');
    expect(() => platform.restore(undefined as never)).toThrow('restore: this is not a snapshot');
    const other = createMockPlatform({ seed: 2 });
    other.organization({ id: platform.id });
    expect(() => platform.restore(other.snapshot())).toThrow('has the id or the API key of');
    expect(platform.customers.all()).toHaveLength(1);
  });

  test('are copied: later changes of the JSON do not change the records', () => {
    const platform = platformAtStart();
    const { id, amount } = platform.payments.add();
    const json = JSON.parse(JSON.stringify(platform.snapshot())) as PlatformSnapshot;
    platform.restore(json);
    const change = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const key of Object.keys(value)) {
        change((value as Record<string, unknown>)[key]);
        if (key === 'amount') (value as Record<string, unknown>)[key] = '0.01';
      }
    };
    change(json);
    expect(JSON.stringify(json)).toContain('"amount":"0.01"');
    expect(platform.payments.get(id)?.amount).toBe(amount);
  });

  test('restore the records of a platform with another seed', async () => {
    const platform = createMockPlatform({ seed: 1 });
    const payment = payablePayment(platform);
    platform.organization({ name: 'Acme' }).customers.add();
    const other = createMockPlatform({ seed: 2 });
    other.restore(platform.snapshot());
    expect(other.customers.all()).toEqual(platform.customers.all());
    expect(other.organizations[1]?.customers.all()).toHaveLength(1);
    const { id } = await new Corridor(other.clientOptions()).payments.create(payment);
    expect(other.payments.get(id)).toBeDefined();
  });

  test('have lines, which are read again', async () => {
    const platform = createMockPlatform();
    platform.populate({ payments: 5 });
    const lines = [...snapshotToLines(platform.snapshot())];
    expect(lines.filter((line) => line.includes('"kind":"payments"'))).toHaveLength(5);
    const other = createMockPlatform();
    other.restore(await snapshotFromLines(lines.join('').trimEnd().split('\n')));
    expect(dataOf(other)).toEqual(dataOf(platform));
    for (const damaged of [lines.slice(0, -1), lines.slice(1), lines.toSpliced(2, 1), [...lines, '5'], ['{']])
      await expect(snapshotFromLines(damaged)).rejects.toThrow('snapshotFromLines: these are not the lines of a');
  });
});
