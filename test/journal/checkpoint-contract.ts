import { LeaseLostError, type ChangesCheckpoint, type CheckpointStore } from 'corridor-sdk';
import { expect } from 'vitest';

/** A database in which several processes have a store each. */
export interface CheckpointDatabase {
  /** Opens the store of a process. */
  open(): CheckpointStore;
  /** Makes every lease expire, as time does if its holder does not renew it. */
  expire(): Promise<void>;
}

const checkpoint = (listedUntil: string): ChangesCheckpoint =>
  ({
    version: 1,
    behind: false,
    startedAt: '2026-01-01T00:00:00Z',
    listedUntil,
    returnsSince: '2026-01-01T00:00:00Z',
    payments: [],
  }) as ChangesCheckpoint;
const [first, second] = [checkpoint('2026-01-02T00:00:00Z'), checkpoint('2026-01-03T00:00:00Z')];

/** The rules of a checkpoint store. */
export const checkpointContract: readonly (readonly [string, (database: CheckpointDatabase) => Promise<void>])[] = [
  [
    'only one store acquires the lease',
    async ({ open }) => {
      const [one, other] = [open(), open()];
      expect(await one.acquire()).toEqual({ checkpoint: undefined });
      expect(await other.acquire()).toBeUndefined();
    },
  ],
  [
    'the holder of the lease stores a checkpoint, and the next holder reads it',
    async ({ open }) => {
      const [one, other] = [open(), open()];
      await one.acquire();
      await one.save(first);
      await one.release();
      expect(await other.acquire()).toEqual({ checkpoint: first });
    },
  ],
  [
    'a lease that is not renewed is acquired by another store',
    async ({ open, expire }) => {
      const [one, other] = [open(), open()];
      await one.acquire();
      await one.save(first);
      await expire();
      expect(await other.acquire()).toEqual({ checkpoint: first });
    },
  ],
  [
    'a store that was paused while another took over writes nothing',
    async ({ open, expire }) => {
      const [paused, other] = [open(), open()];
      await paused.acquire();
      await expire();
      await other.acquire();
      await other.save(second);
      expect(await paused.renew()).toBe(false);
      await expect(paused.save(first)).rejects.toThrow(LeaseLostError);
      await paused.release();
      expect(await other.renew()).toBe(true);
      await other.release();
      expect(await open().acquire()).toEqual({ checkpoint: second });
    },
  ],
  [
    'a store that was paused while nobody took over continues',
    async ({ open, expire }) => {
      const paused = open();
      await paused.acquire();
      await expire();
      expect(await paused.renew()).toBe(true);
      expect(await open().acquire()).toBeUndefined();
    },
  ],
  [
    'a store that acquires the lease again does not accept writes of its earlier epoch',
    async ({ open, expire }) => {
      const [one, other] = [open(), open()];
      await one.acquire();
      await expire();
      await other.acquire();
      await other.release();
      await expect(one.save(first)).rejects.toThrow(LeaseLostError);
      await one.acquire();
      await one.save(second);
      expect(await one.renew()).toBe(true);
    },
  ],
];
