import { DatabaseSync } from 'node:sqlite';
import { Corridor, MirrorError, type MirrorChange, type MirrorChangesOptions } from 'corridor-sdk';
import { TakenOverError, type MirrorState } from '../../src/mirror/mirror.ts';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, onTestFinished, test } from 'vitest';
import { allChanges, temporaryFile } from './mirrored.ts';

interface Written {
  readonly path: string;
  readonly mirror: SqliteMirror;
  /** Runs SQL as another process. */
  execute(sql: string): void;
}

/** Creates a mirror with this number of changes. */
async function write(count: number): Promise<Written> {
  const path = await temporaryFile();
  const mirror = new SqliteMirror(path);
  onTestFinished(() => mirror.close());
  await new Corridor(createMockPlatform().clientOptions()).sync(mirror, { once: true });
  const execute = (sql: string): void => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };
  execute(`
    with recursive numbers (sequence) as (select 1 union all select sequence + 1 from numbers where sequence < ${count})
    insert into corridor_changes select sequence, 'payment', 'pay_' || sequence, 'PROCESSING', 'COMPLETED', '["status"]',
      '2026-01-02T03:04:05.678Z', null, '0123abcd' from numbers;
    update corridor_sync set sequence = ${count}`);
  return { path, mirror, execute };
}

const sequencesOf = async (mirror: SqliteMirror, options: MirrorChangesOptions = {}): Promise<number[]> =>
  (await allChanges(mirror, { after: 0, ...options })).map(({ sequence }) => sequence);

test('every change is iterated once, in order, however many there are', async () => {
  const { mirror } = await write(2_001);
  expect(await sequencesOf(mirror)).toEqual(Array.from({ length: 2_001 }, (_, index) => index + 1));
  expect(await sequencesOf(mirror, { after: 1_999 })).toEqual([2_000, 2_001]);
  expect(await sequencesOf(mirror, { after: 2_001 })).toEqual([]);
  expect(await allChanges(mirror, { after: 2_000 })).toEqual<MirrorChange[]>([
    {
      sequence: 2_001,
      position: '2001-0123abcd',
      record: 'payment',
      id: 'pay_2001',
      previousStatus: 'PROCESSING',
      status: 'COMPLETED',
      fields: ['status'],
      observedAt: '2026-01-02T03:04:05.678Z',
      updatedAt: null,
      data: { id: 'pay_2001' },
    },
  ]);
});

test('a signal that aborts ends the iteration before the next change', async () => {
  const { mirror } = await write(3);
  const stop = new AbortController();
  const seen: number[] = [];
  for await (const { sequence } of mirror.changes({ signal: stop.signal })) {
    seen.push(sequence);
    if (sequence === 2) stop.abort();
  }
  expect(seen).toEqual([1, 2]);
  mirror.close();
  expect(await sequencesOf(mirror, { signal: stop.signal })).toEqual([]);
});

test('changes that are written while it waits are iterated', async () => {
  const { mirror, execute } = await write(1);
  const changes = mirror.changes({ pollInterval: 1 });
  expect(await changes.next()).toMatchObject({ value: { sequence: 1 } });
  const next = changes.next();
  execute(`
    insert into corridor_changes values (2, 'customer', 'cus_1', null, 'APPROVED', '[]', '2026-01-02T03:04:05Z', null, '0123abcd');
    update corridor_sync set sequence = 2`);
  expect(await next).toMatchObject({ value: { sequence: 2, record: 'customer', previousStatus: null, fields: [] } });
  await changes.return();
});

test('a database that is locked is an error with once, and is waited for otherwise', async () => {
  const { path } = await write(1);
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const mirror = new SqliteMirror(path, { busyTimeout: 0 });
  onTestFinished(() => mirror.close());
  await expect(allChanges(mirror, { after: 0 })).rejects.toThrow(MirrorError);
  const changes = mirror.changes({ pollInterval: 1 });
  const next = changes.next();
  setTimeout(() => other.exec('rollback'), 20);
  expect(await next).toMatchObject({ value: { sequence: 1 } });
  await changes.return();
  other.close();
});

test('a failure that cannot pass ends the iteration', async () => {
  const { mirror } = await write(1);
  mirror.close();
  const next = mirror.changes({ pollInterval: 1 }).next();
  await expect(next).rejects.toThrow(MirrorError);
  await expect(next).rejects.toThrow('is closed (ERR_INVALID_STATE). Close it after its last call');
});

test.each([
  { kept: [1, 2, 3, 4], after: 0, expected: [1, 2, 3, 4] },
  { kept: [3, 4], after: 0, expected: 'changes after 0 were removed, by the retention or by hand: the first one is 3' },
  { kept: [2, 3, 4], after: 0, expected: 'changes after 0 were removed' },
  { kept: [3, 4], after: 1, expected: 'changes after 1 were removed' },
  { kept: [3, 4], after: 2, expected: 'changes after 2 were removed' },
  { kept: [3, 4], after: 3, expected: [4] },
  { kept: [3, 4], after: '3-0123abcd', expected: [4] },
  { kept: [3, 4], after: '3-89abcdef', expected: 'the change 3 of the mirror is not the one that was read' },
  { kept: [3, 4], after: 4, expected: [] },
  { kept: [3, 4], after: '4-0123abcd', expected: [] },
  { kept: [3, 4], after: '4-89abcdef', expected: 'the change 4 of the mirror is not the one that was read' },
  { kept: [1, 2, 4], after: 2, expected: 'changes after 2 were removed' },
  { kept: [1, 2, 3], after: 3, expected: 'changes after 3 were removed' },
  { kept: [], after: 0, expected: 'changes after 0 were removed' },
  { kept: [3, 4], after: 5, expected: 'the mirror has no change 5, and its last one is 4: it was created again, or' },
  { kept: [3, 4], after: '5-0123abcd', expected: 'the mirror has no change 5' },
])('of four changes, $kept were kept: after $after, it returns $expected', async ({ kept, after, expected }) => {
  const { mirror, execute } = await write(4);
  execute(`delete from corridor_changes where sequence not in (${kept.join(', ')})`);
  const found = sequencesOf(mirror, { after });
  if (typeof expected === 'string') {
    await expect(found).rejects.toThrow(MirrorError);
    await expect(found).rejects.toThrow(expected);
    await expect(found).rejects.toThrow(/Take lastPosition of mirror\.status\(\)/);
  } else expect(await found).toEqual(expected);
});

test('a mirror that was never filled has no changes', async () => {
  const mirror = new SqliteMirror(await temporaryFile());
  onTestFinished(() => mirror.close());
  expect(await sequencesOf(mirror)).toEqual([]);
  await expect(sequencesOf(mirror, { after: 5 })).rejects.toThrow('the mirror has no change 5, and its last one is 0');
  expect(await mirror.status()).toEqual({
    filled: false,
    ...Object.fromEntries(
      ['open', 'recent', 'older', 'customers', 'beneficiaries'].map((part) => [part, { asOf: null, behind: true }]),
    ),
    lastFullPass: null,
    lastSequence: 0,
    lastPosition: '0',
    missing: 0,
    heldBack: [],
    problems: [],
    unstored: [],
  });
});

test('a position in the changes belongs to one process, moves forward only, and can be continued by another', async () => {
  const { path, mirror: first, execute } = await write(3);
  const second = new SqliteMirror(path);
  onTestFinished(() => second.close());
  // A new position is behind the last change.
  expect(await first.leasePosition('webhooks', 'first')).toBe(3);
  expect(await first.leasePosition('webhooks', 'first', { to: 5 })).toBe(5);
  expect(await first.leasePosition('webhooks', 'first', { to: 4 })).toBe(5);
  expect(await second.leasePosition('other', 'second')).toBe(3);
  expect(await second.leasePosition('webhooks', 'second')).toBeUndefined();
  // Time passes, and the first process renews its lease before it ends.
  execute('update corridor_positions set lease = lease - 9000');
  expect(await first.leasePosition('webhooks', 'first')).toBe(5);
  execute('update corridor_positions set lease = lease - 9000');
  expect(await second.leasePosition('webhooks', 'second')).toBeUndefined();
  execute('update corridor_positions set lease = lease - 1000');
  expect(await second.leasePosition('webhooks', 'second')).toBe(5);
  expect(await first.leasePosition('webhooks', 'first', { to: 9 })).toBeUndefined();
  // A process that ends releases it.
  expect(await second.leasePosition('webhooks', 'second', { to: 6, isReleased: true })).toBe(6);
  expect(await first.leasePosition('webhooks', 'first')).toBe(6);
});

test('a position from before the first fill is behind its changes, and a later one stays', async () => {
  const { mirror, execute } = await write(3);
  expect(await mirror.leasePosition('webhooks', 'first', { isReleased: true })).toBe(3);
  execute(`update corridor_sync set sequence = 9, state = json_set(state, '$.filledSequence', 7)`);
  expect(await mirror.leasePosition('webhooks', 'second')).toBe(7);
  expect(await mirror.leasePosition('webhooks', 'second', { to: 8 })).toBe(8);
  expect(await mirror.leasePosition('webhooks', 'second')).toBe(8);
});

test('a batch that is written renews the lease', async () => {
  const { path, mirror: first, execute } = await write(1);
  const second = new SqliteMirror(path);
  onTestFinished(() => second.close());
  const owned = (await first.acquire('follow')) as MirrorState;
  execute('update corridor_sync set lease = lease - 9000');
  const batch = { record: 'customer', values: [{ id: 'cus_1' }], missing: [] } as const;
  const now = Date.now();
  const options = { now, platformNow: now, consistencyWindow: 0, held: new Map<string, string>(), isVerifying: false };
  await first.commit(owned, batch, options);
  execute('update corridor_sync set lease = lease - 9000');
  expect(await second.acquire('follow')).toBeUndefined();
  execute('update corridor_sync set lease = lease - 1000');
  expect(await second.acquire('follow')).toMatchObject({ epoch: owned.epoch + 1 });
});

test('the process that works is alone until it ends, its lease ends, or it follows while another runs once', async () => {
  const { path, mirror: first, execute } = await write(0);
  const second = new SqliteMirror(path);
  onTestFinished(() => second.close());
  const start = (await first.state())?.epoch ?? 0;
  const owned = await first.acquire('follow');
  expect(owned?.epoch).toBe(start + 1);
  // It writes only behind what it has written last.
  const { position } = owned as MirrorState;
  for (const other of [position - 1, position + 1])
    await expect(first.renew({ ...(owned as MirrorState), position: other })).rejects.toThrow(TakenOverError);
  expect(await second.acquire('follow')).toBeUndefined();
  const other = await second.acquire('once');
  expect(other?.epoch).toBe(start + 2);
  // It neither releases nor renews what it has lost.
  await expect(first.release(owned as MirrorState, 0)).rejects.toThrow(TakenOverError);
  await expect(first.renew(owned as MirrorState)).rejects.toThrow(TakenOverError);
  expect(await first.acquire('once')).toBeUndefined();
  execute('update corridor_sync set lease = lease - 9000');
  await second.renew(other as MirrorState);
  execute('update corridor_sync set lease = lease - 9000');
  expect(await first.acquire('once')).toBeUndefined();
  execute('update corridor_sync set lease = lease - 1000');
  const last = await first.acquire('once');
  expect(last?.epoch).toBe(start + 3);
  await first.release(last as MirrorState, 0);
  expect((await second.acquire('follow'))?.epoch).toBe(start + 4);
});

test('a lease that was written before the clock was set back is over', async () => {
  const { path, mirror: first, execute } = await write(0);
  const second = new SqliteMirror(path);
  onTestFinished(() => second.close());
  await first.acquire('follow');
  execute('update corridor_sync set lease = lease + 3600000');
  expect(await second.acquire('follow')).toBeDefined();
});
