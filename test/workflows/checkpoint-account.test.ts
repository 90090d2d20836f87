import { expect, test } from 'vitest';
import {
  ConfigurationError,
  Corridor,
  type ChangesCheckpoint,
  type CorridorOptions,
  type ExportCheckpoint,
} from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { withRotatedKey } from '../mirror/account.ts';

const otherOrganization = /^the checkpoint belongs to another organization .* Pass the API key of its organization, or/;

const since = '2026-01-01T00:00:00Z';

/** A workflow that continues from a checkpoint, as plain JSON. */
interface Continued {
  readonly ids: readonly string[];
  readonly checkpoint: string | undefined;
}

type Workflow = (options: CorridorOptions, checkpoint?: string) => Promise<Continued>;

const changes: Workflow = async (options, stored) => {
  const ids: string[] = [];
  let checkpoint = stored;
  const followed = new Corridor(options).payments.changes({
    since: stored === undefined ? since : (JSON.parse(stored) as ChangesCheckpoint),
    once: true,
    onCheckpoint: (next) => void (checkpoint = JSON.stringify(next)),
  });
  for await (const { payment } of followed) ids.push(payment.id);
  return { ids: ids.toSorted(), checkpoint };
};

const exported: Workflow = async (options, stored) => {
  const ids: string[] = [];
  let checkpoint = stored;
  const { payments } = new Corridor(options);
  const pages = payments.export(
    { createdFrom: since, createdTo: '2026-12-31T00:00:00Z' },
    {
      ...(stored === undefined ? {} : { checkpoint: JSON.parse(stored) as ExportCheckpoint }),
      onCheckpoint: (next) => void (checkpoint = JSON.stringify(next)),
    },
  );
  for await (const { id } of pages) ids.push(id);
  return { ids: ids.toSorted(), checkpoint };
};

const workflows = [
  ['payments.changes', changes],
  ['payments.export', exported],
] as const;

const createdAt = '2026-02-01T00:00:00.000Z';

function createPlatform(): MockPlatform {
  const platform = createMockPlatform({ now: () => Date.parse('2026-03-01T00:00:00Z') });
  platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
  return platform;
}

const addPayment = (platform: MockPlatform, id = 'pay_1') =>
  platform.payments.add({ id, customerId: 'cus_1', status: 'COMPLETED', createdAt });

function otherOptions(platform: MockPlatform): CorridorOptions {
  const organization = platform.organization({ id: 'org_2' });
  organization.payments.add({ id: 'pay_of_other', createdAt });
  return organization.clientOptions();
}

test.each(workflows)('%s rejects the checkpoint of another organization', async (_, workflow) => {
  const platform = createPlatform();
  addPayment(platform);
  const { ids, checkpoint } = await workflow(platform.clientOptions());
  expect(ids).toEqual(['pay_1']);
  let stored: unknown;
  const other = new Corridor(otherOptions(platform)).payments;
  const onCheckpoint = (next: unknown) => void (stored = next);
  const iterated =
    workflow === changes
      ? other.changes({ since: JSON.parse(checkpoint ?? '') as ChangesCheckpoint, onCheckpoint })
      : other
          .export(
            { createdFrom: since, createdTo: '2026-12-31T00:00:00Z' },
            { checkpoint: JSON.parse(checkpoint ?? '') as ExportCheckpoint, onCheckpoint },
          )
          .pages();
  const failing = iterated.next();
  await expect(failing).rejects.toThrow(ConfigurationError);
  await expect(failing).rejects.toThrow(otherOrganization);
  expect(stored).toBeUndefined();
});

test.each(workflows)('%s continues with a rotated API key, which costs one request, once', async (_, workflow) => {
  const platform = createPlatform();
  addPayment(platform);
  const first = await workflow(platform.clientOptions());
  const before = platform.requests.length;
  const usual = await workflow(platform.clientOptions(), first.checkpoint);
  const count = platform.requests.length - before;
  const requests: string[] = [];
  const rotated = await workflow(withRotatedKey(platform, requests), first.checkpoint);
  expect(rotated.ids).toEqual(usual.ids);
  expect(requests).toHaveLength(count + 1);
  await workflow(withRotatedKey(platform, requests), rotated.checkpoint);
  expect(requests).toHaveLength(2 * count + 1);
});

test.each(workflows)('%s recognizes the organization by a payment among many of its instant', async (_, workflow) => {
  const platform = createPlatform();
  addPayment(platform);
  const { checkpoint } = await workflow(platform.clientOptions());
  const { seen, ...rest } = JSON.parse(checkpoint ?? '') as Record<string, unknown>;
  expect(seen).toEqual(['pay_1', createdAt, 'cus_1']);
  platform.payments.addMany(150, () => ({ customerId: 'cus_1', createdAt }));
  const requests: string[] = [];
  const stored = { ...rest, seen: ['pay_1', createdAt, 'cus_deleted'] };
  await workflow(withRotatedKey(platform, requests), JSON.stringify(stored));
  expect(requests.slice(0, 3)).toEqual(['customers/cus_deleted', 'payment', 'payment']);
});

test.each([
  ['payments.changes', changes, ['pay_2']],
  ['payments.export', exported, []],
] as const)('%s continues the checkpoint of an older version', async (_, workflow, expected) => {
  const platform = createPlatform();
  addPayment(platform);
  const first = await workflow(platform.clientOptions());
  const { account, seen, ...older } = JSON.parse(first.checkpoint ?? '') as Record<string, unknown>;
  expect([account, seen]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), ['pay_1', createdAt, 'cus_1']]);
  platform.payments.add({ id: 'pay_2', customerId: 'cus_1' });
  const { ids, checkpoint } = await workflow(platform.clientOptions(), JSON.stringify(older));
  expect(ids).toEqual(expected);
  expect(JSON.parse(checkpoint ?? '')).toMatchObject({ account });
});

test.each(workflows)('%s begins again if nothing shows whose the checkpoint is', async (_, workflow) => {
  const platform = createPlatform();
  const { checkpoint } = await workflow(platform.clientOptions());
  expect((await workflow(otherOptions(platform), checkpoint)).ids).toEqual(['pay_of_other']);
});

test('payments.export knows the organization also after parts that have no payment', async () => {
  const platform = createPlatform();
  platform.payments.addMany(250, (index) => ({
    customerId: 'cus_1',
    createdAt: new Date(Date.parse(createdAt) + index * 1_000).toISOString(),
  }));
  const { ids, checkpoint } = await exported(platform.clientOptions());
  expect(ids).toHaveLength(250);
  await expect(exported(otherOptions(platform), checkpoint)).rejects.toThrow(otherOrganization);
});

test('payments.export does not begin again if payments were exported before the checkpoint knew one', async () => {
  const platform = createPlatform();
  addPayment(platform);
  const { checkpoint } = await exported(platform.clientOptions());
  const { seen: _, ...withoutSeen } = JSON.parse(checkpoint ?? '') as Record<string, unknown>;
  expect((await exported(withRotatedKey(platform), JSON.stringify(withoutSeen))).ids).toEqual([]);
});

test.each(workflows)('%s stores no API key in its checkpoints', async (_, workflow) => {
  const platform = createPlatform();
  addPayment(platform);
  const { apiKey, ...options } = platform.clientOptions();
  expect((await workflow({ ...options, apiKey }, undefined)).checkpoint).not.toContain(apiKey);
});

test.each(workflows)('%s continues while a function rotates the API key', async (_, workflow) => {
  const platform = createPlatform();
  addPayment(platform);
  const { apiKey: _key, ...options } = withRotatedKey(platform);
  let calls = 0;
  const apiKey = () => `key-${(calls += 1)}`;
  const first = await workflow({ ...options, apiKey });
  expect(first.ids).toEqual(['pay_1']);
  expect((await workflow({ ...options, apiKey }, first.checkpoint)).ids).toEqual([]);
});

test.each(workflows)('%s rejects the checkpoint of another platform with the same API key', async (_, workflow) => {
  const platform = createPlatform();
  addPayment(platform);
  const { checkpoint } = await workflow(platform.clientOptions());
  const other = createMockPlatform({ baseUrl: 'https://other-platform.example' });
  expect(other.clientOptions().apiKey).toBe(platform.clientOptions().apiKey);
  await expect(workflow(other.clientOptions(), checkpoint)).rejects.toThrow(otherOrganization);
});
