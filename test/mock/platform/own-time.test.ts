import { Corridor } from 'corridor-sdk';
import { connectMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart, start } from '../fixture.ts';

const at = Date.parse(start);

describe('an organization with its own clock', () => {
  test('moves its time, and no other', async () => {
    const platform = platformAtStart();
    const [one, other] = [platform.organization({ clock: 'own' }), platform.organization({ clock: 'own' })];
    const payments = [platform, one, other].map((organization) => {
      const { id } = organization.payments.add();
      organization.payments.scheduleTransitions(id, ['APPROVED'], { every: { hours: 1 } });
      return () => organization.payments.get(id)?.status;
    });
    one.clock.advance({ hours: 2 });
    expect([platform, one, other].map(({ clock }) => clock.now() - at)).toEqual([0, 7_200_000, 0]);
    expect(payments.map((status) => status())).toEqual(['PENDING_REVIEW', 'APPROVED', 'PENDING_REVIEW']);
    platform.clock.advance({ hours: 1 });
    expect(payments.map((status) => status())).toEqual(['APPROVED', 'APPROVED', 'PENDING_REVIEW']);
  });

  test('accepts tokens, and expires quotes and URLs, at its own time', async () => {
    const platform = platformAtStart();
    const one = platform.organization({ clock: 'own' });
    const corridor = new Corridor({ ...one.clientOptions(), maxRetries: 0 });
    const payment = payablePayment(one);
    const { url } = await corridor.documents.downloadUrl(one.documents.add().id);
    one.clock.advance({ minutes: 20 });
    await expect(corridor.payments.create(payment)).rejects.toMatchObject({ platformCode: 'quote_expired' });
    expect((await one.fetch(url)).status).toBe(403);
    expect(one.requests.at(-1)?.receivedAt).toBe(at + 1_200_000);
    await corridor.payments.create(payablePayment(one));
  });

  test('is where its clients wait', async () => {
    const platform = platformAtStart();
    const one = platform.organization({ clock: 'own' });
    one.faults.next('crypto.networks', { kind: 'slow', delay: 5000 });
    one.faults.next('crypto.networks', { kind: 'status', status: 503, headers: { 'retry-after': '30' } });
    await new Corridor({ ...one.clientOptions(), maxRetries: 0 }).crypto.networks();
    await new Corridor(one.clientOptions()).crypto.networks();
    expect(one.clock.now() - at).toBeGreaterThanOrEqual(35_000);
    expect(platform.clock.now()).toBe(at);
  });

  test('keeps its time in a snapshot, and starts again with a reset', () => {
    const platform = platformAtStart();
    const one = platform.organization({ clock: 'own' });
    one.clock.set('2030-01-01T00:00:00Z');
    const snapshot = platform.snapshot();
    one.reset();
    expect(one.clock.now()).toBe(at);
    platform.restore(snapshot);
    expect(one.clock.now()).toBe(Date.parse('2030-01-01T00:00:00Z'));
    platform.removeOrganization(one.id);
    platform.restore(snapshot);
    expect(platform.organizations[1]?.clock.now()).toBe(Date.parse('2030-01-01T00:00:00Z'));
    expect(platform.clock.now()).toBe(at);
  });

  test.each(['own', 'shared'] as const)('is replaced by a restore in which its clock is %s instead', (clock) => {
    const options = { id: 'org_acme', apiKey: 'acme-api-key' };
    const saved = platformAtStart();
    saved.organization({ ...options, clock });
    const platform = platformAtStart();
    const acme = platform.organization({ ...options, clock: clock === 'own' ? 'shared' : 'own' });
    acme.customers.add();
    platform.restore(saved.snapshot());
    platform.clock.advance({ hours: 1 });
    expect(platform.organizations[1]?.clock.now()).toBe(clock === 'own' ? at : at + 3_600_000);
    expect(platform.organizations[1]?.customers.all()).toEqual([]);
  });

  test('is moved by another process, and continues in another server', async () => {
    const served = await serveMockPlatform({ control: true, now: () => at });
    const remote = await connectMockPlatform(served.url);
    const one = await remote.organization({ clock: 'own', rateLimit: { requests: 1, per: { hours: 1 } } });
    await one.clock.set('2030-01-01T00:00:00Z');
    expect([await one.clock.now(), await remote.clock.now()]).toEqual([Date.parse('2030-01-01T00:00:00Z'), at]);
    const corridor = new Corridor({ ...(await one.clientOptions()), maxRetries: 0 });
    await corridor.crypto.networks();
    await expect(corridor.crypto.networks()).rejects.toMatchObject({ status: 429 });
    const state = await served.state();
    await served.close();
    const again = await serveMockPlatform({ state, now: () => at });
    expect(again.platform.organizations[1]?.clock.now()).toBe(Date.parse('2030-01-01T00:00:00Z'));
    await again.close();
  });
});

describe('an organization with its own behavior', () => {
  test('differs from the platform in these options only', async () => {
    const platform = platformAtStart({ quotes: 'reusable', pageSize: 2 });
    const one = platform.organization({ pageSize: 1, rateLimit: { requests: 2, per: { hours: 1 } } });
    platform.customers.addMany(3);
    one.customers.addMany(3);
    const sizeOf = async (organization = platform.organizations[0]!): Promise<number> =>
      (await new Corridor(organization.clientOptions()).customers.list()).items.length;
    expect([await sizeOf(), await sizeOf(one)]).toEqual([2, 1]);
    const payment = payablePayment(one);
    const corridor = new Corridor({ ...one.clientOptions(), maxRetries: 0 });
    await corridor.payments.create(payment);
    await expect(corridor.payments.create(payment)).rejects.toMatchObject({ status: 429 });
    platform.configure({ pageSize: 3 });
    one.configure({ rateLimit: undefined });
    expect([await sizeOf(), await sizeOf(one)]).toEqual([3, 1]);
    await corridor.payments.create(payment); // its quotes are reusable, as those of the platform
    one.configure({ pageSize: undefined });
    expect(await sizeOf(one)).toBe(3);
  });

  test('keeps it in a snapshot, and has that of its options after a reset', async () => {
    const platform = platformAtStart();
    const one = platform.organization({ createdStatus: 'APPROVED' });
    const statusOf = async (): Promise<string> =>
      (await new Corridor(one.clientOptions()).payments.create(payablePayment(one))).status;
    one.configure({ createdStatus: 'PROCESSING' });
    const snapshot = platform.snapshot();
    one.reset();
    expect(await statusOf()).toBe('APPROVED');
    platform.restore(snapshot);
    expect(await statusOf()).toBe('PROCESSING');
  });

  test('rejects options that are not those of an organization', () => {
    const platform = platformAtStart();
    expect(() => platform.organization({ clock: 'mine' } as never)).toThrow('organization: clock must be one of');
    expect(() => platform.organization({ pageSize: 0 })).toThrow('organization: pageSize must be');
    expect(() => platform.organization({ seed: 1 } as never)).toThrow('organization: seed is not a known');
    expect(() => platform.organization().configure({ pageSize: 0 })).toThrow('configure: pageSize must be');
  });
});
