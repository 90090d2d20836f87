import * as z from 'zod/mini';
import { nonEmptyString } from '../../../contract/schema/schema.js';
import { MockPlatformError } from '../../error.js';
import type { MockPlatform } from '../../platform.js';
import type { PlatformSnapshot } from '../../store/snapshot.js';
import { noParameters, type NamedCalls } from './call.js';

interface NamedSnapshot {
  /** The time on the mock's clock in ISO 8601 format. */
  readonly at: string;
  readonly snapshot: PlatformSnapshot;
}

/** The most snapshots that a platform keeps: each is a copy of all records. */
const maxSnapshots = 20;

const snapshots = new WeakMap<MockPlatform, Map<string, NamedSnapshot>>();

function snapshotsOf(platform: MockPlatform): Map<string, NamedSnapshot> {
  const named = snapshots.get(platform) ?? new Map<string, NamedSnapshot>();
  snapshots.set(platform, named);
  return named;
}

function save(platform: MockPlatform, name: string): void {
  const named = snapshotsOf(platform);
  if (!named.has(name) && named.size >= maxSnapshots)
    throw new MockPlatformError(
      `snapshots.save: there are ${maxSnapshots} snapshots already. Remove one with snapshots.remove.`,
    );
  named.set(name, { at: new Date(platform.clock.now()).toISOString(), snapshot: platform.snapshot() });
}

function load(platform: MockPlatform, name: string): void {
  const saved = snapshotsOf(platform).get(name) ?? unknownSnapshot('snapshots.load', name);
  platform.restore(saved.snapshot);
}

function unknownSnapshot(call: string, name: string): never {
  throw new MockPlatformError(`${call}: there is no snapshot ${JSON.stringify(name)}. See snapshots.list.`);
}

const nameOnly = z.strictObject({ name: nonEmptyString({ rule: 'must be the name of a snapshot' }) });

/** The calls that keep snapshots by name in the memory of the server. */
export const snapshotCalls: NamedCalls = [
  [
    'snapshots.list',
    {
      scope: 'platform',
      parameters: noParameters,
      reads: true,
      run: (platform) => [...snapshotsOf(platform)].map(([name, { at }]) => ({ name, at })),
    },
  ],
  ['snapshots.save', { scope: 'platform', parameters: nameOnly, run: (platform, _, name) => save(platform, name) }],
  ['snapshots.load', { scope: 'platform', parameters: nameOnly, run: (platform, _, name) => load(platform, name) }],
  [
    'snapshots.remove',
    {
      scope: 'platform',
      parameters: nameOnly,
      run: (platform, _, name) => {
        if (!snapshotsOf(platform).delete(name)) unknownSnapshot('snapshots.remove', name);
      },
    },
  ],
];
