import { Corridor, type CorridorOptions } from 'corridor-sdk';
import {
  createMockPlatform,
  type MockOrganization,
  type MockPlatform,
  type MockPlatformOptions,
} from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';

/** A platform, and a client of its first organization. */
export interface Stage extends AsyncDisposable {
  readonly platform: MockPlatform;
  /** Validates every response strictly. */
  readonly corridor: Corridor;
  /** The `fetch` of the client. */
  readonly fetch: typeof globalThis.fetch;
  /** A client of another organization of the platform, or one with other options. */
  client(options?: CorridorOptions, organization?: MockOrganization): Corridor;
}

/** A way from a client to a mock platform. */
export interface Adapter {
  readonly name: string;
  /** Creates a platform and a client of it; `await using` closes both. */
  readonly open: (options?: Omit<MockPlatformOptions, 'baseUrl'>) => Promise<Stage>;
}

async function openInProcess(options: Omit<MockPlatformOptions, 'baseUrl'> = {}): Promise<Stage> {
  const platform = createMockPlatform(options);
  const client: Stage['client'] = (more, organization = platform) =>
    new Corridor({ ...organization.clientOptions(), validation: 'strict', ...more });
  return {
    platform,
    corridor: client(),
    client,
    fetch: platform.fetch,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function openServed(options: Omit<MockPlatformOptions, 'baseUrl'> = {}): Promise<Stage> {
  const served = await serveMockPlatform(options);
  const client: Stage['client'] = (more, organization) =>
    new Corridor({ ...served.clientOptions(organization), validation: 'strict', ...more });
  return {
    platform: served.platform,
    corridor: client(),
    client,
    fetch: globalThis.fetch,
    [Symbol.asyncDispose]: () => served.close(),
  };
}

/** The ways by which every call is tested. */
export const adapters: readonly Adapter[] = [
  { name: 'platform.fetch', open: openInProcess },
  { name: 'real HTTP', open: openServed },
];
