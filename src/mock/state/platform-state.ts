import { forgetJournals } from './journals.js';
import { atTime, MockClock, ClockAdvancer } from './clock.js';
import { MockPlatformError, requireValid } from '../base/mock-error.js';
import {
  resolveOptions,
  withMeasuredBehavior,
  type MockOrganizationOptions,
  type MockPlatformOptions,
  type ResolvedOptions,
  behaviorOf,
  resolveBehavior,
  behaviorOptions,
  type MockBehavior,
} from '../base/mock-options.js';
import { Random } from '../data/random.js';
import type { MockHttpRequest } from '../wire/message.js';
import { ExchangeLog, createRequestLog } from '../wire/request-log.js';
import {
  contentOf,
  toSnapshot,
  type OrganizationSnapshot,
  type PlatformSnapshot,
  type SnapshotFields,
  type UsedQuota,
} from './snapshot.js';
import type { PaymentQuote } from '../../contract/schema/quotes.js';
import type { PaymentCore, StoredRecords } from './record-kinds.js';
import { customerCountries } from '../data/countries.js';
import { companyName } from '../data/names.js';
import { defaultCatalog, type CryptoCatalog } from '../data/crypto-catalog.js';
import { MockFaults, emptyFaultPlan } from '../faults/fault-plan.js';
import { deepFreeze, omitUndefined } from '../base/freeze.js';
import type { AddedValues } from '../base/unknown-values.js';
import { firstKeys, type OrganizationKeys, pooledKeys, importKeys } from '../base/keys.js';
import { Collection } from './collection.js';
import { Schedule, emptySchedule, type Due, type TransitionableKind } from './schedule.js';

/** Runs an event that is due; `now` is the time by which it is due. */
export type RunEvent = (organization: OrganizationState, event: Due, now: number) => void;

/** The number of removed organizations that a restore keeps. */
const maxRemoved = 1000;

/** The state of a platform. */
export class PlatformState {
  readonly #initialOptions: MockPlatformOptions;
  #options: ResolvedOptions;
  readonly clock: MockClock;
  /** The time in which clients created with `clientOptions()` wait. */
  readonly time = new ClockAdvancer();
  readonly requests = createRequestLog(() => {
    for (const { requests } of this.#organizations) requests.length = 0;
    this.exchanges.dropped = 0;
    this.exchanges.notify('state');
  });
  /** The responses to the requests. */
  readonly exchanges = new ExchangeLog(this.requests);
  readonly #organizations: OrganizationState[] = [];
  /** The organizations that were removed, by their identities: a restore may bring them back. */
  readonly #removed = new Map<string, OrganizationState>();
  #baseUrl: string | undefined;
  #configured: MockBehavior = {};
  #requestCount = 0;
  #organizationCount = 0;

  constructor(options: MockPlatformOptions) {
    this.#options = resolveOptions(options);
    this.#initialOptions = withMeasuredBehavior(options);
    this.clock = new MockClock(this.#options.now);
    forgetJournals(this.#options.baseUrl);
  }

  /** The behavior in effect, without defaults. */
  get behavior(): MockBehavior {
    return { ...this.#initialOptions, ...this.#configured };
  }

  /** The options in effect. */
  get options(): ResolvedOptions {
    return this.#options;
  }

  /**
   * Changes behavior; options that are not passed keep their values. Throws `MockPlatformError` if an option is
   * invalid.
   */
  configure(behavior: MockBehavior): void {
    requireValid('configure', behaviorOptions, behavior, 'the behavior');
    this.#configureAll({ ...this.#configured, ...behavior });
    this.#reviewSchedules();
  }

  /** Sets all options that differ from those of the constructor. */
  #configureAll(configured: MockBehavior): void {
    this.#configured = configured;
    this.#options = { ...this.#options, ...resolveBehavior(this.behavior) };
  }

  /** Cancels the scheduled transitions that the transition tables in effect do not allow. */
  #reviewSchedules(): void {
    for (const organization of this.#organizations) organization.reviewSchedules();
  }

  /** The base URL of signed URLs in records that a test reads: that of the current control call, if there is one. */
  get baseUrl(): string {
    return this.#baseUrl ?? this.#options.baseUrl;
  }

  /** Calls a function while records have signed URLs of another base URL. */
  atBaseUrl<T>(baseUrl: string, run: () => T): T {
    this.#baseUrl = baseUrl;
    try {
      return run();
    } finally {
      this.#baseUrl = undefined;
    }
  }

  /** The organizations, oldest first. */
  get organizations(): readonly OrganizationState[] {
    return this.#organizations;
  }

  /** Adds an organization. Throws `MockPlatformError` if its id or API key already exists. */
  add(options: MockOrganizationOptions): OrganizationState {
    const organization = new OrganizationState(this, this.#organizationCount, options);
    if (this.byApiKey(organization.apiKey) !== undefined)
      throw new MockPlatformError(
        'organization: apiKey already belongs to another organization. Pass another one, or omit it.',
      );
    if (this.#organizations.some((other) => other.id === organization.id))
      throw new MockPlatformError(`organization: id ${organization.id} already exists. Pass another one, or omit it.`);
    this.#organizationCount += 1;
    this.#organizations.push(organization);
    return organization;
  }

  /** Runs the scheduled events of all organizations that are due. */
  runDueEvents(runEvent: RunEvent): void {
    for (const organization of this.#organizations) organization.runDueEvents(runEvent);
  }

  /** Removes an organization. Throws `MockPlatformError` if it does not exist, or if it is the first one. */
  remove(id: string): void {
    const position = this.#organizations.findIndex((organization) => organization.id === id);
    if (position === -1)
      throw new MockPlatformError(`removeOrganization: id ${JSON.stringify(id)} does not exist on this platform.`);
    if (position === 0)
      throw new MockPlatformError(
        'removeOrganization: the first organization is the platform itself and ' +
          'cannot be removed. Call reset to remove its records.',
      );
    for (const organization of this.#organizations.splice(position, 1)) this.#detach(organization);
  }

  byApiKey(apiKey: string): OrganizationState | undefined {
    return this.#organizations.find((organization) => organization.apiKeys.includes(apiKey));
  }

  /** Returns the clock of the organization that sent a request or owns a download; that of the platform for others. */
  clockOf({ headers, path }: Pick<MockHttpRequest, 'headers' | 'path'>): MockClock {
    const [, owner] = /\/downloads\/([^/]+)/.exec(path) ?? [];
    const organization =
      this.byApiKey(headers['x-api-key'] ?? '') ?? this.#organizations.find(({ id }) => id === owner);
    return organization?.clock ?? this.clock;
  }

  /** Removes the requests of an organization from the log of all organizations. */
  forgetRequests({ id }: OrganizationState): void {
    const others = this.requests.filter(({ organization }) => organization !== id);
    this.requests.length = 0;
    for (const request of others) this.requests.push(request);
    this.exchanges.notify('state');
  }

  /** Returns the id of the next request. */
  requestId(): string {
    this.#requestCount += 1;
    return new Random(`${this.options.seed}/requests/${this.#requestCount}`).id('req_');
  }

  snapshot(): PlatformSnapshot {
    const { clock, options } = this;
    const fields: SnapshotFields = {
      seed: options.seed,
      clock: clock.state,
      requestCount: this.#requestCount,
      organizationCount: this.#organizationCount,
      // JSON has no undefined, which sets an option back to its default.
      configured: structuredClone(mapValues(this.#configured, (value) => value ?? null)),
      organizations: this.#organizations.map((organization) => organization.snapshot()),
    };
    return toSnapshot(fields);
  }

  restore(snapshot: PlatformSnapshot): void {
    const copy = contentOf<SnapshotFields>(
      'restore: this is not a snapshot of a mock platform',
      'Take it again, or load a scenario.',
      snapshot,
    );
    const [first, ...others] = this.#organizations as [OrganizationState, ...OrganizationState[]];
    const [savedFirst, ...savedOthers] = copy.organizations as [OrganizationSnapshot, ...OrganizationSnapshot[]];
    const conflict = savedOthers.find(
      ({ id, apiKey, registered }) =>
        id === first.id || [apiKey, ...(registered?.apiKeys ?? [])].includes(first.apiKey),
    );
    if (conflict !== undefined)
      throw new MockPlatformError(
        `restore: the organization ${conflict.id} of the snapshot has the id or the API key ` +
          `of ${first.id}, the first organization. Restore it on a platform with another id and API key.`,
      );
    this.#configureAll(mapValues(copy.configured, (value) => value ?? undefined));
    this.clock.state = copy.clock;
    this.requests.clear();
    this.#requestCount = copy.requestCount;
    for (const organization of others) this.#detach(organization);
    // The platform stays its first organization, also if its seed or API key differs.
    this.#organizations.length = 1;
    first.restore(savedFirst);
    for (const saved of savedOthers) {
      const { index, id, name, apiKey, clock } = saved;
      const identity = identityKey({ id, apiKey, hasOwnClock: clock !== undefined });
      const options = { id, name, apiKey, clock: clock === undefined ? 'shared' : 'own' } as const;
      const organization = this.#removed.get(identity) ?? new OrganizationState(this, index, options);
      this.#removed.delete(identity);
      this.#organizations.push(organization);
      organization.restore(saved);
    }
    for (const id of [...this.#removed.keys()].slice(0, -maxRemoved)) this.#removed.delete(id);
    this.#organizationCount = copy.organizationCount;
    this.#reviewSchedules();
  }

  #detach(organization: OrganizationState): void {
    organization.reset();
    this.#removed.set(identityKey(organization), organization);
  }

  /** Returns a function that restores the clock, the behavior, and the records and schedules of all organizations. */
  savepoint(): () => void {
    const [options, configured, clock] = [this.#options, this.#configured, this.clock.state];
    const rollBacks = this.#organizations.map((organization) => organization.savepoint());
    return () => {
      this.#options = options;
      this.#configured = configured;
      this.clock.state = clock;
      for (const rollBack of rollBacks) rollBack();
    };
  }

  /** Resets the platform to its initial options. Keeps its organizations, without their records. */
  reset(): void {
    for (const organization of this.#organizations) organization.reset();
    this.requests.clear();
    this.#requestCount = 0;
    this.#configureAll({});
    this.clock.reset();
  }
}

const mapValues = <T extends object>(object: object, map: (value: unknown) => unknown): T =>
  Object.fromEntries(Object.entries(object).map(([name, value]: [string, unknown]) => [name, map(value)])) as T;

/** Returns what a restored organization has in common with the one that was removed. */
const identityKey = ({ id, apiKey, hasOwnClock }: Pick<OrganizationState, 'id' | 'apiKey' | 'hasOwnClock'>): string =>
  JSON.stringify([id, apiKey, hasOwnClock]);

/** The kinds of records that an organization stores. The compiler reports one that is missing here. */
const kinds = Object.keys({
  customers: true,
  beneficiaries: true,
  persons: true,
  documents: true,
  quotes: true,
  payments: true,
  tickets: true,
} satisfies Readonly<Record<keyof StoredRecords, true>>) as (keyof StoredRecords)[];

/** The state of an organization. */
export class OrganizationState {
  readonly platform: PlatformState;
  /** The number of organizations that were added before it, which determines its data and keys. */
  index: number;
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  readonly customers = new Collection<StoredRecords['customers']>((id) => this.reviewSchedule('customers', id));
  readonly beneficiaries = new Collection<StoredRecords['beneficiaries']>((id) =>
    this.reviewSchedule('beneficiaries', id),
  );
  readonly persons = new Collection<StoredRecords['persons']>();
  readonly documents = new Collection<StoredRecords['documents']>();
  readonly quotes = new Collection<StoredRecords['quotes']>();
  readonly payments = new Collection<StoredRecords['payments']>((id) => this.reviewSchedule('payments', id));
  readonly tickets = new Collection<StoredRecords['tickets']>();
  /** The enabled crypto networks and payment methods. */
  crypto: CryptoCatalog = defaultCatalog;
  readonly requests = createRequestLog(() => this.platform.forgetRequests(this));
  readonly schedule = new Schedule();
  readonly faults = new MockFaults(this);
  /** The `jti` of accepted tokens with their `exp`: no token is accepted twice. */
  readonly tokens = new Map<string, number>();
  /** The values of sets that tests have added, such as a new status. */
  readonly addedValues: AddedValues = new Set();
  /** The keys with which requests are accepted. */
  registered = firstKeys;
  /** What clients in this process remember of its payments. */
  journals: unknown;
  /** The number of times that its state was reset or restored. */
  generation = 0;
  /** The used part of its rate limit. */
  quota: UsedQuota | undefined;
  /** Its own clock, or that of the platform. */
  readonly clock: MockClock;
  readonly #initialOptions: MockOrganizationOptions;
  /** The behavior that it does not have in common with the platform. */
  #own: MockBehavior;
  /** The options of the platform, and with its own behavior. */
  #options: { readonly base: ResolvedOptions; readonly resolved: ResolvedOptions } | undefined;
  #keyPair: Promise<OrganizationKeys> | undefined;
  readonly #imported = new Map<string, Promise<OrganizationKeys>>();

  constructor(platform: PlatformState, index: number, options: MockOrganizationOptions) {
    const random = new Random(`${platform.options.seed}/organization/${index}`);
    this.platform = platform;
    this.index = index;
    this.#initialOptions = options;
    this.#own = behaviorOf(options);
    this.clock = options.clock === 'own' ? new MockClock(platform.options.now) : platform.clock;
    if (this.hasOwnClock) this.clock.onMove = () => platform.clock.onMove();
    this.id = options.id ?? random.id('org_');
    this.apiKey = options.apiKey ?? random.id('corridor_test_', 32);
    this.name = options.name ?? companyName(random, random.pick(customerCountries));
  }

  get hasOwnClock(): boolean {
    return this.clock !== this.platform.clock;
  }

  /** The options in effect: those of the platform, and its own behavior. */
  get options(): ResolvedOptions {
    const base = this.platform.options;
    if (this.#options?.base !== base) {
      const behavior = resolveBehavior({ ...this.platform.behavior, ...this.#own });
      this.#options = { base, resolved: { ...base, ...behavior } };
    }
    return this.#options.resolved;
  }

  /** Changes its own behavior. Throws `MockPlatformError` if an option is invalid. */
  configure(behavior: MockBehavior): void {
    requireValid('configure', behaviorOptions, behavior, 'the behavior');
    this.#setBehavior(omitUndefined({ ...this.#own, ...behavior }));
    this.reviewSchedules();
  }

  /** Cancels the scheduled transitions that its transition tables do not allow. */
  reviewSchedules(): void {
    for (const { kind, id } of this.schedule.snapshot().plans) this.reviewSchedule(kind, id);
  }

  #setBehavior(own: MockBehavior): void {
    this.#own = own;
    this.#options = undefined;
  }

  /** Returns the keys that it was added with; generates them on the first call. */
  keyPair(): Promise<OrganizationKeys> {
    const { publicKey, privateKey } = this.#initialOptions;
    const isGenerated = publicKey === undefined && privateKey === undefined;
    return (this.#keyPair ??= isGenerated ? pooledKeys(this.index) : importKeys(this.#initialOptions));
  }

  /** The API keys with which requests are accepted, oldest first. */
  get apiKeys(): readonly string[] {
    return this.registered.apiKeys.map((apiKey) => apiKey ?? this.apiKey);
  }

  /** Returns the public keys that verify tokens, oldest first. */
  publicKeys(): Promise<OrganizationKeys[]> {
    return Promise.all(
      this.registered.publicKeys.map((publicKey) => {
        if (publicKey === null) return this.keyPair();
        const imported = this.#imported.get(publicKey) ?? importKeys({ publicKey });
        this.#imported.set(publicKey, imported);
        return imported;
      }),
    );
  }

  /** Returns its private key in PKCS#8 PEM format. Rejects with `MockPlatformError` if it has a public key only. */
  readonly privateKey = async (): Promise<string> => {
    const { privateKey } = await this.keyPair();
    if (privateKey !== undefined) return privateKey;
    throw new MockPlatformError(
      'this organization has a public key only. Sign with the matching private key, or pass it as privateKey.',
    );
  };

  /** Runs all scheduled events that are due, in order, each at its own time. */
  runDueEvents(runEvent: RunEvent): void {
    const { schedule, clock } = this;
    const now = clock.now();
    for (let due = schedule.takeDue(now); due !== undefined; due = schedule.takeDue(now)) {
      const event = due;
      atTime(clock, event.at, () => runEvent(this, event, now));
    }
  }

  /**
   * Cancels the scheduled transitions of a record whose status does not allow the next one; ends those of a deleted
   * one.
   */
  reviewSchedule(kind: TransitionableKind, id: string): void {
    const status = this[kind].get(id)?.record.status;
    if (status === undefined) return this.schedule.end({ kind, id });
    const { options, clock } = this;
    const table: { readonly [from: string]: readonly string[] | undefined } = options.transitions[kind];
    const plan = this.schedule.planOf({ kind, id });
    const [next = ''] = plan?.steps ?? [];
    const isAllowed =
      [status, next].some((each) => this.addedValues.has(each)) || table[status]?.includes(next) === true;
    if (plan !== undefined && !isAllowed) this.schedule.cancel(plan, clock.now());
  }

  /** Returns the random numbers of the n-th record of a kind, which do not depend on other records. */
  random(kind: string, sequence: number): Random {
    return new Random(`${this.platform.options.seed}/${this.index}/${kind}/${sequence}`);
  }

  snapshot(): OrganizationSnapshot {
    const { index, id, name, apiKey, crypto, registered } = this;
    const collections = Object.fromEntries(kinds.map((kind) => [kind, this[kind].snapshot()]));
    return {
      index,
      id,
      name,
      apiKey,
      ...(registered !== firstKeys && { registered }),
      tokens: [...this.tokens],
      faults: this.faults.snapshot(),
      schedule: this.schedule.snapshot(),
      ...(this.quota !== undefined && { quota: this.quota }),
      ...(crypto !== defaultCatalog && { crypto }),
      ...(this.addedValues.size > 0 && { addedValues: [...this.addedValues] }),
      ...(this.hasOwnClock && { clock: this.clock.state }),
      behavior: structuredClone(this.#own),
      collections,
    };
  }

  restore(snapshot: OrganizationSnapshot): void {
    this.journals = undefined;
    forgetJournals(this.platform.options.baseUrl);
    this.generation += 1;
    for (const kind of kinds) {
      (this[kind] as Collection<unknown>).restore(snapshot.collections[kind] ?? { next: 1, rows: [] });
    }
    this.registered = snapshot.registered ?? firstKeys;
    this.tokens.clear();
    for (const [id, expiry] of snapshot.tokens) this.tokens.set(id, expiry);
    this.addedValues.clear();
    for (const value of snapshot.addedValues ?? []) this.addedValues.add(value);
    this.faults.restore(snapshot.faults);
    this.schedule.restore(snapshot.schedule);
    this.quota = snapshot.quota;
    if (snapshot.clock !== undefined) this.clock.state = snapshot.clock;
    this.#setBehavior(snapshot.behavior);
    this.index = snapshot.index;
    this.crypto = snapshot.crypto === undefined ? defaultCatalog : deepFreeze(snapshot.crypto);
    this.requests.clear();
  }

  /** Returns a function that restores the current records and schedule. */
  savepoint(): () => void {
    const rollBacks = [this.faults, ...kinds.map((kind) => this[kind])].map((part) => part.savepoint());
    const schedule = this.schedule.snapshot();
    const [own, clock] = [this.#own, this.clock.state];
    return () => {
      this.#setBehavior(own);
      this.clock.state = clock;
      rollBacks.forEach((rollBack) => rollBack());
      this.schedule.restore(schedule);
    };
  }

  /** Returns a function that removes the records added since. */
  insertSavepoint(): () => void {
    const next = kinds.map((kind) => this[kind].next);
    return () => kinds.forEach((kind, index) => this[kind].removeSince(next[index] ?? 1));
  }

  /** Removes all records, requests, tokens, faults and scheduled events. */
  reset(): void {
    this.restore({
      index: this.index,
      id: this.id,
      name: this.name,
      apiKey: this.apiKey,
      tokens: [],
      faults: emptyFaultPlan,
      schedule: emptySchedule,
      behavior: behaviorOf(this.#initialOptions),
      collections: {},
    });
    if (this.hasOwnClock) this.clock.reset();
  }
}

/** Marks a quote as used, unless it is already. */
export function markUsed(organization: OrganizationState, { id, usedAt }: PaymentQuote, at: string): void {
  if (usedAt === null)
    organization.quotes.update(id, (stored) => ({ ...stored, record: { ...stored.record, usedAt: at } }));
}

/** Marks the quote of a payment, which is to lose it, as unused, unless another payment has it. */
export function freeQuote({ payments, quotes }: OrganizationState, { id, paymentQuoteId }: PaymentCore): void {
  if (paymentQuoteId === null) return;
  const isUsed = payments.values().some(({ record }) => record.id !== id && record.paymentQuoteId === paymentQuoteId);
  if (!isUsed) quotes.update(paymentQuoteId, (stored) => ({ ...stored, record: { ...stored.record, usedAt: null } }));
}
