import { handle } from './carry.js';
import type { MockClock } from './clock.js';
import type { Arrival, Reply } from './exchange.js';
import { answer } from './handle.js';
import { resolveOptions, type MockOrganizationOptions, type MockPlatformOptions } from './options.js';
import { MockOrganization } from './organization.js';
import type { MockRequestLog } from './requests.js';
import { PlatformState, type PlatformSnapshot } from './state.js';

/**
 * A mock of the whole platform: it keeps what it is sent, verifies every signature and holds requests and its own answers against
 * the contract. It is itself its first organization; `organization` adds others.
 */
export class MockPlatform extends MockOrganization {
  /** Where the platform answers. */
  readonly baseUrl: string;
  /** What all ids and data follow from. */
  readonly seed: string;
  /** The platform's time. */
  readonly clock: MockClock;
  /** Answers a request: the platform as a function, for a carrier of your own. */
  readonly handle: (request: Request) => Promise<Response>;
  readonly #state: PlatformState;

  /** @internal */
  constructor(state: PlatformState, options: MockOrganizationOptions) {
    super(state.add(options));
    this.#state = state;
    this.baseUrl = state.options.baseUrl;
    this.seed = state.options.seed;
    this.clock = state.clock;
    this.handle = (request) => handle(state, request);
  }

  /** The requests of all organizations, and those with an unknown API key, oldest first. */
  override get requests(): MockRequestLog {
    return this.#state.requests;
  }

  /** The largest request body that is read, in bytes. */
  get maxRequestBytes(): number {
    return this.#state.options.maxRequestBytes;
  }

  /** Answers a request that is not a `Request`, for a carrier that has sockets. */
  receive(arrival: Arrival): Promise<Reply> {
    return answer(this.#state, arrival);
  }

  /** Adds an organization: another partner with credentials of its own. Throws `MockPlatformError` where its id or API key is taken. */
  organization(options: MockOrganizationOptions = {}): MockOrganization {
    return new MockOrganization(this.#state.add(options));
  }

  /** Everything the platform holds, as plain JSON: records, clock, used tokens of all organizations; no keys, no requests. */
  snapshot(): PlatformSnapshot {
    return this.#state.snapshot();
  }

  /** Back to a snapshot of this platform, or of one of the same seed. Throws `MockPlatformError` where it is of another. */
  restore(snapshot: PlatformSnapshot): void {
    this.#state.restore(snapshot);
  }

  /** Back to a new platform: no records, no requests, the real clock. Organizations stay, with their credentials. */
  override reset(): void {
    this.#state.reset();
  }
}

/**
 * Makes a mock platform. Nothing global is patched, nothing is started, no key is made before it is needed.
 *
 * Throws `MockPlatformError` where an option is wrong.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform({ seed: 1 });
 * const corridor = new Corridor(platform.clientOptions());
 * platform.payments.addMany(3);
 * const page = await corridor.payments.list();
 * ```
 */
export function createMockPlatform(options: MockPlatformOptions = {}): MockPlatform {
  return new MockPlatform(new PlatformState(resolveOptions(options)), options);
}
