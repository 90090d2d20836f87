import { Agenda, nothingPlanned } from './agenda.js';
import { MockClock } from './clock.js';
import { Collection } from './collection.js';
import { MockPlatformError } from './error.js';
import { FaultPlan } from './faults.js';
import { givenKeys, pooledKeys, type OrganizationKeys } from './keys.js';
import { companyName } from './names.js';
import { requireKnown, requireTexts, resolveOptions, type MockOrganizationOptions, type MockPlatformOptions, type ResolvedOptions } from './options.js';
import { customerPlaces } from './places.js';
import { Random } from './random.js';
import { MockRequestLog } from './requests.js';
import { isSnapshot, type AssumedSwitches, type OrganizationSnapshot, type PlatformSnapshot, type UsedQuota } from './snapshot.js';
import type {
  StoredBeneficiary, StoredCustomer, StoredDocument, StoredPayment, StoredPerson, StoredQuote, StoredRun, StoredTicket,
} from './stored.js';
import { resolveSwitches, switchNames, type MockSwitches } from './switches.js';

/** Everything an organization has. */
export class OrganizationState {
  readonly platform: PlatformState;
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  readonly customers = new Collection<StoredCustomer>();
  readonly beneficiaries = new Collection<StoredBeneficiary>();
  readonly persons = new Collection<StoredPerson>();
  readonly runs = new Collection<StoredRun>();
  readonly documents = new Collection<StoredDocument>();
  readonly quotes = new Collection<StoredQuote>();
  readonly payments = new Collection<StoredPayment>();
  readonly tickets = new Collection<StoredTicket>();
  readonly requests = new MockRequestLog();
  /** What it does by itself. */
  readonly agenda = new Agenda();
  readonly faults = new FaultPlan((draw, sequence) => this.random(draw, sequence));
  /** The `jti` of accepted tokens with their `exp`, so that none is accepted twice. */
  readonly tokens = new Map<string, number>();
  /** How much of its rate limit is used. */
  quota: UsedQuota | undefined;
  readonly #options: MockOrganizationOptions;
  #keys: Promise<OrganizationKeys> | undefined;

  constructor(platform: PlatformState, index: number, options: MockOrganizationOptions) {
    const random = new Random(`${platform.options.seed}/organization/${index}`);
    this.platform = platform;
    this.index = index;
    this.#options = options;
    this.id = options.id ?? `org_${random.letters(16)}`;
    this.apiKey = options.apiKey ?? `corridor_test_${random.letters(32)}`;
    this.name = options.name ?? companyName(random, random.pick(customerPlaces));
  }

  /** Whether its keys were asked for: without them nothing can have been signed. */
  get hasKeys(): boolean {
    return this.#keys !== undefined;
  }

  /** The organization's keys, made when they are first asked for. */
  keys(): Promise<OrganizationKeys> {
    return (this.#keys ??= this.#makeKeys());
  }

  #makeKeys(): Promise<OrganizationKeys> {
    const { publicKey, privateKey } = this.#options;
    if (publicKey === undefined && privateKey === undefined) return pooledKeys(this.index);
    return givenKeys({ ...(publicKey !== undefined && { publicKey }), ...(privateKey !== undefined && { privateKey }) });
  }

  /** Does what it was to do by itself until now. */
  settle(): void {
    this.platform.settle(this);
  }

  /** What the n-th record of a kind is drawn from: no other record's making changes it. */
  random(kind: string, sequence: number): Random {
    return new Random(`${this.platform.options.seed}/${this.index}/${kind}/${sequence}`);
  }

  snapshot(): OrganizationSnapshot {
    const { id, name, apiKey } = this;
    const collections = Object.fromEntries(collectionNames.map((kind) => [kind, this[kind].snapshot()]));
    return { id, name, apiKey, tokens: [...this.tokens], faults: this.faults.snapshot(), agenda: this.agenda.snapshot(), ...(this.quota !== undefined && { quota: this.quota }), collections };
  }

  restore(snapshot: OrganizationSnapshot): void {
    for (const kind of collectionNames) {
      (this[kind] as Collection<unknown>).restore(snapshot.collections[kind] ?? { next: 1, rows: [] });
    }
    this.tokens.clear();
    for (const [id, expiry] of snapshot.tokens) this.tokens.set(id, expiry);
    this.faults.restore(snapshot.faults);
    this.agenda.restore(snapshot.agenda);
    this.quota = snapshot.quota;
    this.requests.clear();
  }

  /** What there is now: the function it gives goes back to that. */
  savepoint(): () => void {
    const back = collectionNames.map((kind) => this[kind].savepoint());
    const agenda = this.agenda.snapshot();
    return () => {
      back.forEach((goBack) => goBack());
      this.agenda.restore(agenda);
    };
  }

  /** What records there are now: the function it gives takes away those added since. */
  mark(): () => void {
    const back = collectionNames.map((kind) => this[kind].mark());
    return () => back.forEach((goBack) => goBack());
  }

  /** Back to no records, no requests, no tokens, nothing planned. */
  reset(): void {
    this.restore({ id: this.id, name: this.name, apiKey: this.apiKey, tokens: [], faults: [], agenda: nothingPlanned, collections: {} });
  }
}

const collectionNames = ['customers', 'beneficiaries', 'persons', 'runs', 'documents', 'quotes', 'payments', 'tickets'] as const;

/** Everything a platform has. */
export class PlatformState {
  readonly #given: MockPlatformOptions;
  #options: ResolvedOptions;
  readonly clock: MockClock;
  readonly requests = new MockRequestLog();
  readonly #organizations: OrganizationState[] = [];
  readonly #byApiKey = new Map<string, OrganizationState>();
  /** Those that a restore took away, by their ids: a later one may bring them back. */
  readonly #removed = new Map<string, OrganizationState>();
  /** Does what an organization was to do by itself until now. */
  readonly settle: (organization: OrganizationState) => void;
  #assumed: MockSwitches = {};
  #answered = 0;

  constructor(options: MockPlatformOptions, settle: (organization: OrganizationState) => void) {
    this.#given = options;
    this.#options = resolveOptions(options);
    this.settle = settle;
    this.clock = new MockClock(this.#options.now);
  }

  /** How it behaves now. */
  get options(): ResolvedOptions {
    return this.#options;
  }

  /** Sets switches; the others stay as they are. Throws `MockPlatformError` where one is wrong. */
  assume(switches: MockSwitches): void {
    requireKnown('assume', switches, switchNames);
    const assumed = { ...this.#assumed, ...switches };
    this.#options = { ...this.#options, ...resolveSwitches({ ...this.#given, ...assumed }) };
    this.#assumed = assumed;
  }

  /** The organizations, oldest first. */
  get organizations(): readonly OrganizationState[] {
    return this.#organizations;
  }

  /** Adds an organization. Throws `MockPlatformError` where an option is no text, or its id or API key is taken. */
  add(options: MockOrganizationOptions): OrganizationState {
    requireTexts(options);
    const organization = new OrganizationState(this, this.#organizations.length, options);
    if (this.#byApiKey.has(organization.apiKey)) throw new MockPlatformError('organization: the API key is taken');
    if (this.#organizations.some((other) => other.id === organization.id)) throw new MockPlatformError(`organization: id ${organization.id} is taken`);
    this.#organizations.push(organization);
    this.#byApiKey.set(organization.apiKey, organization);
    return organization;
  }

  byApiKey(apiKey: string): OrganizationState | undefined {
    return this.#byApiKey.get(apiKey);
  }

  /** The id of the next answer. */
  requestId(): string {
    this.#answered += 1;
    return `req_${new Random(`${this.options.seed}/requests/${this.#answered}`).letters(16)}`;
  }

  snapshot(): PlatformSnapshot {
    const organizations = this.#organizations.map((organization) => organization.snapshot());
    const { clock, options } = this;
    // JSON has no undefined, which puts a switch back to its default.
    const assumed = Object.fromEntries(Object.entries(this.#assumed).map(([name, value]: [string, unknown]) => [name, value ?? null])) as AssumedSwitches;
    return structuredClone({ version: 1, seed: options.seed, clock: clock.snapshot(), answered: this.#answered, assumed, organizations });
  }

  restore(snapshot: PlatformSnapshot): void {
    requireSnapshotOf(this, snapshot);
    const copy = structuredClone(snapshot);
    if (copy.assumed !== undefined) this.#restoreAssumed(copy.assumed);
    this.clock.restore(copy.clock);
    this.requests.clear();
    this.#answered = copy.answered;
    for (const organization of this.#organizations.splice(copy.organizations.length)) this.#remove(organization);
    for (const [index, saved] of copy.organizations.entries()) {
      (this.#organizations[index] ?? this.#bringBack(saved)).restore(saved);
    }
  }

  /** Throws `MockPlatformError`, before anything is changed, where a switch is wrong. */
  #restoreAssumed(saved: AssumedSwitches): void {
    const assumed = Object.fromEntries(Object.entries(saved).map(([name, value]: [string, unknown]) => [name, value ?? undefined])) as MockSwitches;
    requireKnown('restore: assumed', assumed, switchNames);
    this.#options = { ...this.#options, ...resolveSwitches({ ...this.#given, ...assumed }) };
    this.#assumed = assumed;
  }

  #remove(organization: OrganizationState): void {
    organization.reset();
    this.#byApiKey.delete(organization.apiKey);
    this.#removed.set(organization.id, organization);
  }

  /** The organization that a restore took away, with its keys and its door; or one that is made as it was. */
  #bringBack({ id, name, apiKey }: OrganizationSnapshot): OrganizationState {
    const removed = this.#removed.get(id);
    if (removed?.apiKey !== apiKey || removed.index !== this.#organizations.length) return this.add({ id, name, apiKey });
    this.#removed.delete(id);
    this.#organizations.push(removed);
    this.#byApiKey.set(apiKey, removed);
    return removed;
  }

  /** Back to a new platform, as its options made it; the organizations stay, without records. */
  reset(): void {
    this.clock.reset();
    this.requests.clear();
    this.#answered = 0;
    this.#assumed = {};
    this.assume({});
    for (const organization of this.#organizations) organization.reset();
  }
}

function requireSnapshotOf({ options, organizations }: PlatformState, snapshot: PlatformSnapshot): void {
  if (!isSnapshot(snapshot)) throw new MockPlatformError('restore: this is not a snapshot of a mock platform');
  if (snapshot.seed !== options.seed) throw new MockPlatformError(`restore: the snapshot is of another platform: its seed is ${JSON.stringify(snapshot.seed)}`);
  for (const [index, saved] of snapshot.organizations.entries()) {
    const present = organizations[index];
    if (present !== undefined && (present.id !== saved.id || present.apiKey !== saved.apiKey)) {
      throw new MockPlatformError(`restore: the snapshot is of another platform: its organization ${saved.id} stands where this one has ${present.id}`);
    }
  }
}
