import { expect, test } from 'vitest';
import { Corridor, MirrorError, type Mirror } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { allChanges, mirroredRecords, type MirrorDatabase } from './mirrored.ts';

interface Followed {
  readonly platform: MockPlatform;
  readonly corridor: Corridor;
  readonly mirror: Mirror;
  readonly database: MirrorDatabase;
  /** Resolves with the error that ends the sync. */
  readonly ended: Promise<unknown>;
}

const tables = ['sync', 'payments', 'customers', 'beneficiaries', 'changes', 'positions'];
const message = 'the tables of the mirror were dropped, truncated or restored while this process used them';

/** Tests what happens if another program changes the tables while a process follows. */
export function testReplacedTables(createDatabase: () => Promise<MirrorDatabase>): void {
  /** Follows a platform until an error ends it. Resolves when the mirror is filled and has changes. */
  async function follow(): Promise<Followed> {
    const platform = createMockPlatform();
    platform.populate({ customers: 2, beneficiaries: 2, payments: 8 });
    platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
    const corridor = new Corridor(platform.clientOptions());
    const database = await createDatabase();
    const mirror = database.open();
    await corridor.sync(mirror, { once: true });
    const { lastPosition: after } = await mirror.status();
    platform.payments.update('pay_open', { memo: 'first' });
    const ended = corridor.sync(mirror).catch((error: unknown) => error);
    for await (const { id } of database.open().changes({ after, pollInterval: 1 })) {
      expect(id).toBe('pay_open');
      break;
    }
    return { platform, corridor, mirror, database, ended };
  }

  test('tables that are dropped end a sync that follows, and are not created again', async () => {
    const { corridor, mirror, database, ended } = await follow();
    for (const table of tables) await database.execute(`drop table corridor_${table}`);
    const error = await ended;
    expect(error).toBeInstanceOf(MirrorError);
    expect(String(error)).toMatch(/dropped|replaced, deleted/);
    await expect(corridor.sync(mirror, { once: true })).rejects.toThrow(MirrorError);
    await expect(mirror.status()).rejects.toThrow(MirrorError);
    await expect(database.execute('select 1 from corridor_sync')).rejects.toThrow(/corridor_sync/);
  });

  test('tables that are emptied end a sync that follows, and stay empty', async () => {
    const { corridor, mirror, database, ended } = await follow();
    for (const table of tables) await database.execute(`delete from corridor_${table}`);
    const error = await ended;
    expect(error).toBeInstanceOf(MirrorError);
    expect(String(error)).toContain(message);
    await expect(corridor.sync(mirror, { once: true })).rejects.toThrow(message);
    expect(await database.select('select * from corridor_sync')).toEqual([]);
    expect(await database.select('select * from corridor_payments')).toEqual([]);
  });

  test.each([
    ['an earlier copy', 'update corridor_sync set epoch = 1'],
    ['a copy of the same epoch', 'update corridor_sync set position = position - 1'],
    ['another mirror', "update corridor_sync set identity = 'other', epoch = epoch + 9"],
  ])('tables that are restored from %s end a sync that follows', async (_name, restore) => {
    const { database, ended } = await follow();
    await database.execute(restore);
    const error = await ended;
    expect(error).toBeInstanceOf(MirrorError);
    expect(String(error)).toContain(message);
  });

  test('tables of a newer version end a sync that follows, which writes nothing more', async () => {
    const { platform, corridor, mirror, database, ended } = await follow();
    const other = database.open();
    const newer = 'the tables of the mirror have version 99, and this version of corridor-sdk uses';
    await database.execute('update corridor_sync set version = 99');
    const before = await mirroredRecords(database);
    platform.payments.update('pay_open', { memo: 'second' });
    expect(String(await ended)).toContain(newer);
    expect(await mirroredRecords(database)).toEqual(before);
    for (const each of [mirror, other]) {
      await expect(corridor.sync(each, { once: true })).rejects.toThrow(newer);
      await expect(each.status()).rejects.toThrow(newer);
      await expect(allChanges(each)).rejects.toThrow(newer);
    }
  });
}
