import { assumptionsOf, type MockAssumption } from './assumptions.js';
import { type Wait, handle } from '../request/fetch.js';
import type { MockHttpRequest, MockHttpResponse, MockNoResponse } from '../wire/message.js';
import { handleRequest } from '../request/exchange.js';
import { runEvent } from '../request/scheduled-events.js';
import {
  behaviorOf,
  identityOf,
  organizationOptions,
  type MockOrganizationOptions,
  type MockPlatformOptions,
  type MockBehavior,
  type ResolvedOptions,
} from '../base/mock-options.js';
import { requireValid } from '../base/mock-error.js';
import { MockOrganization } from './organization.js';
import type { RequestLog } from '../wire/request-log.js';
import { PlatformState, type OrganizationState } from '../state/platform-state.js';
import type { PlatformSnapshot } from '../state/snapshot.js';

/** What exchanges with a real platform show about a question of docs/assumptions.md. */
export interface EvidenceRow {
  /** The row and the question. */
  readonly key: string;
  readonly verdict: 'confirmed' | 'contradicted' | 'not seen';
  readonly evidence: string | null;
  /** What a contradiction means for the partner. */
  readonly meaning: string | null;
  /** The id, in the log, of the request that showed it. */
  readonly requestId: string | null;
  /** The settings that it shows, by their paths in `corridor.platform.json`; undefined is the default. */
  readonly measured: Readonly<Record<string, unknown>>;
}

/** The real platform that a server is in front of. */
export interface UpstreamSummary {
  readonly url: string;
  readonly rows: readonly EvidenceRow[];
}

/**
 * A stateful mock of the whole platform. It stores what clients create, verifies every signature, and validates
 * requests and its own responses against the contract. The platform object is also its first organization;
 * `organization` adds others.
 */
export class MockPlatform extends MockOrganization {
  /** The base URL of the platform. */
  readonly baseUrl: string;
  /** Describes the real platform that requests are passed on to; undefined for a mock. @internal */
  upstream: (() => UpstreamSummary) | undefined;
  readonly #state: PlatformState;
  readonly #organizations = new WeakMap<OrganizationState, MockOrganization>();

  /** Creates a platform. Throws `MockPlatformError` if an option is invalid. */
  constructor(options: MockPlatformOptions = {}) {
    const state = new PlatformState(options);
    state.clock.onMove = () => state.runDueEvents(runEvent);
    super(state, state.add(identityOf(options)));
    this.#state = state;
    this.baseUrl = state.options.baseUrl;
  }

  /** The requests of all organizations, including those with an unknown API key, oldest first. */
  override get requests(): RequestLog {
    this.#state.runDueEvents(runEvent);
    return this.#state.requests;
  }

  protected override receives(): boolean {
    return true;
  }

  /** All organizations, oldest first. */
  get organizations(): readonly MockOrganization[] {
    return this.#state.organizations.map((organization) => this.#facadeOf(organization));
  }

  /** Its state, for a server. @internal */
  internals(): PlatformState {
    return this.#state;
  }

  /** The options in effect. @internal */
  get options(): ResolvedOptions {
    return this.#state.options;
  }

  /** The behavior that is set, without defaults. @internal */
  get behavior(): MockBehavior {
    return behaviorOf(this.#state.behavior);
  }

  /** The largest request body that the mock reads, in bytes. */
  get maxRequestBytes(): number {
    return this.#state.options.maxRequestBytes;
  }

  /**
   * Adds an organization, which is another partner with separate credentials and records. Throws `MockPlatformError` if
   * an option is unknown or invalid, or if the id or API key already exists.
   */
  organization(options: MockOrganizationOptions = {}): MockOrganization {
    requireValid('organization', organizationOptions, options, 'the options');
    return this.#facadeOf(this.#state.add(options));
  }

  /**
   * Removes an organization with its records; its credentials are then unknown. Throws `MockPlatformError` if the id
   * does not exist, or if it is the first organization.
   */
  removeOrganization(id: string): void {
    this.#state.remove(id);
  }

  /**
   * Handles a request and returns the response, for custom adapters: a 501 if the mock's response would violate the
   * contract.
   */
  handle(request: Request): Promise<Response> {
    return handle(this.#state, request);
  }

  /** Handles a request of an adapter that has no `Request` object. @internal */
  handleRaw(request: MockHttpRequest): Promise<MockHttpResponse | MockNoResponse> {
    return this.#state.time.process(() => handleRequest(this.#state, request));
  }

  /** Returns how the response to a request waits on its clock; undefined if no client waits on it. @internal */
  waitFor(request: MockHttpRequest): Wait | undefined {
    return this.#state.time.waitOn(this.#state.clockOf(request));
  }

  /**
   * Runs what is due in all organizations, and calls a function that returns records with signed URLs of a base URL.
   * @internal
   */
  callAt<T>(baseUrl: string, run: () => T): T {
    this.#state.runDueEvents(runEvent);
    return this.#state.atBaseUrl(baseUrl, run);
  }

  /**
   * Returns every question that the platform's specification leaves open, with the mock's current behavior and the
   * option that changes it.
   *
   * @example
   * ```ts
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform({ quotes: 'reusable' });
   * console.table(platform.assumptions().filter(({ option }) => option !== undefined));
   * ```
   */
  assumptions(): MockAssumption[] {
    return assumptionsOf(this.#state.options);
  }

  /**
   * Changes the behavior of a running platform, for all organizations without their own. Options that you omit keep
   * their values; `reset` restores those of the constructor. Throws `MockPlatformError` if an option is unknown or
   * invalid.
   *
   * @example
   * ```ts
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * platform.configure({ quotes: 'reusable', rateLimit: { requests: 5, per: { seconds: 1 } } });
   * ```
   */
  override configure(behavior: MockBehavior): void {
    this.#state.configure(behavior);
  }

  /**
   * Returns the state of the platform as plain JSON: the clock, configured behavior, and the records, faults and used
   * tokens of all organizations, with their API keys. RSA keys and requests are not included.
   */
  snapshot(): PlatformSnapshot {
    return this.#state.snapshot();
  }

  /**
   * Restores a snapshot of this platform or of another one, whose first organization becomes the platform itself.
   * Removes other organizations that the snapshot does not contain. Throws `MockPlatformError` if the value is not a
   * snapshot, or has an organization with the id or the API key of this platform's first one; the state is then left
   * unchanged.
   */
  restore(snapshot: PlatformSnapshot): void {
    this.#state.restore(snapshot);
  }

  /**
   * Removes all records, requests and faults, and restores the real clock and the behavior of the constructor's
   * options. Organizations keep their credentials.
   */
  override reset(): void {
    this.#state.reset();
  }

  #facadeOf(organization: OrganizationState): MockOrganization {
    const facade = this.#organizations.get(organization) ?? new MockOrganization(this.#state, organization);
    this.#organizations.set(organization, facade);
    return facade;
  }
}

/**
 * Creates a mock platform. Does not patch globals or start a server, and generates keys on first use only. Throws
 * `MockPlatformError` if an option is invalid.
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
  return new MockPlatform(options);
}
