import * as z from 'zod/mini';
import { nonEmptyString, array, looseObject, memoize, optional, type Schema } from '../../contract/schema/schema.js';
import { MockPlatformError } from '../error.js';
import { resolveOptions, type MockPlatformOptions } from '../options.js';
import { keysOf } from '../organization.js';
import { createMockPlatform, type MockPlatform } from '../platform.js';
import { requireValid } from '../require-valid.js';
import { snapshotSchema, type SnapshotFields } from '../state/snapshot.js';

/**
 * The state of a server as plain JSON, from `state()` and for the option `state`: a snapshot and the keys of all
 * organizations. It contains secrets; its fields other than `version` may change in any release.
 */
export interface MockServerState {
  /** The version of the format. */
  readonly version: 1;
}

/** The keys of an organization, in the order of the organizations in the snapshot. */
interface StoredKeys {
  readonly publicKey: string;
  readonly privateKey?: string;
}

interface StateFields extends MockServerState {
  readonly keys: readonly StoredKeys[];
  readonly snapshot: SnapshotFields;
}

const stateSchema: Schema<StateFields> = memoize(() => {
  const key = (): z.ZodMiniType<string> => nonEmptyString({ sensitive: true });
  return looseObject<StateFields>({
    version: z.literal(1),
    keys: array(looseObject<StoredKeys>({ publicKey: key(), privateKey: optional(key()) })),
    snapshot: snapshotSchema(),
  }).check(z.refine(({ keys, snapshot }) => keys.length === snapshot.organizations.length));
});

/** Returns the state of a platform. */
export async function stateOf(platform: MockPlatform): Promise<MockServerState> {
  // Both are read at once, because another request may add an organization while the keys are generated.
  const { organizations } = platform;
  const snapshot = platform.snapshot() as SnapshotFields;
  const keys = await Promise.all(organizations.map(keysOf));
  const fields: StateFields = {
    version: 1,
    keys: keys.map(({ publicKey, privateKey }) => ({ publicKey, ...(privateKey !== undefined && { privateKey }) })),
    snapshot,
  };
  return fields;
}

/**
 * Creates a platform with a state. Rejects with `MockPlatformError` if the state is invalid, or if an option contradicts
 * it; then the message begins with `state: `.
 */
export async function platformWithState(options: MockPlatformOptions, state: MockServerState): Promise<MockPlatform> {
  resolveOptions(options); // An option that is invalid in itself is no problem of the state.
  try {
    return await restored(options, state);
  } catch (error) {
    throw error instanceof MockPlatformError ? new MockPlatformError(`state: ${error.message}`) : error;
  }
}

async function restored(options: MockPlatformOptions, state: MockServerState): Promise<MockPlatform> {
  const { keys, snapshot } = validated(state);
  const [first, ...others] = snapshot.organizations.map(({ id, name, apiKey }, index) => ({
    id,
    name,
    apiKey,
    ...keys[index],
  }));
  const stored: MockPlatformOptions = { seed: snapshot.seed, ...first };
  for (const [name, value] of Object.entries(stored) as [keyof MockPlatformOptions, unknown][])
    if (options[name] !== undefined && String(options[name]) !== value)
      throw new MockPlatformError(`it has another ${name}. Omit ${name}, or pass another state.`);
  const platform = createMockPlatform({ ...options, ...stored });
  for (const organization of others) platform.organization(organization);
  // Imports the keys, so that invalid ones do not appear as invalid tokens later.
  await Promise.all(platform.organizations.map(keysOf));
  platform.restore(snapshot);
  return platform;
}

function validated(state: MockServerState): StateFields {
  const version: unknown = (state as { readonly version?: unknown } | null)?.version;
  if (Number.isInteger(version) && version !== 1)
    throw new MockPlatformError(
      `its version is ${String(version)} (expected: 1). Use the release of corridor-sdk that wrote it.`,
    );
  requireValid('this is not the state of a server', stateSchema, state, 'the value');
  return state as StateFields;
}
