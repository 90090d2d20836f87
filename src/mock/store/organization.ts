import { customerCountries } from '../data/countries.js';
import { companyName } from '../data/names.js';
import { Random } from '../data/random.js';
import { defaultCatalog, type CryptoCatalog } from '../data/crypto-catalog.js';
import { FaultPlan } from '../faults/fault-plan.js';
import { emptyFaultPlan } from '../faults/planned-fault.js';
import type { ExchangeLog } from '../http/exchange-log.js';
import { deepFreeze } from '../frozen.js';
import { createRequestLog } from '../http/request-log.js';
import { type OrganizationKeys, pooledKeys, importKeys } from '../keys.js';
import type { MockOrganizationOptions, ResolvedOptions } from '../options.js';
import type { MockClock } from './clock.js';
import { Collection } from './collection.js';
import type {
  StoredCustomer,
  StoredBeneficiary,
  StoredPerson,
  StoredRun,
  StoredDocument,
  StoredQuote,
  StoredPayment,
  StoredTicket,
} from './records.js';
import { Schedule, emptySchedule, type TransitionableKind } from './schedule.js';
import { collectionNames, type OrganizationSnapshot, type UsedQuota } from './snapshot.js';

/** What an organization uses of its platform. */
export interface OrganizationPlatform {
  readonly options: ResolvedOptions;
  readonly baseUrl: string;
  readonly clock: MockClock;
  readonly organizations: readonly OrganizationState[];
  readonly exchanges: ExchangeLog | undefined;
  readonly runDueEvents: (organization: OrganizationState) => void;
  readonly forgetRequests: (organization: OrganizationState) => void;
}

/** The state of an organization. */
export class OrganizationState {
  readonly platform: OrganizationPlatform;
  /** The number of organizations that were added before it, which determines its data and keys. */
  index: number;
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  readonly customers = new Collection<StoredCustomer>((id) => this.reviewSchedule('customers', id));
  readonly beneficiaries = new Collection<StoredBeneficiary>((id) => this.reviewSchedule('beneficiaries', id));
  readonly persons = new Collection<StoredPerson>();
  readonly runs = new Collection<StoredRun>();
  readonly documents = new Collection<StoredDocument>();
  readonly quotes = new Collection<StoredQuote>();
  readonly payments = new Collection<StoredPayment>((id) => this.reviewSchedule('payments', id));
  readonly tickets = new Collection<StoredTicket>();
  /** The enabled crypto networks and payment methods. */
  crypto: CryptoCatalog = defaultCatalog;
  readonly requests = createRequestLog(() => this.platform.forgetRequests(this));
  readonly schedule = new Schedule();
  readonly faults = new FaultPlan(
    (draw, sequence) => this.random(draw, sequence),
    () => this.platform.options.dialect,
    () => this.platform.clock.now(),
  );
  /** The `jti` of accepted tokens with their `exp`: no token is accepted twice. */
  readonly tokens = new Map<string, number>();
  /** The number of times that its state was reset or restored. */
  generation = 0;
  /** The used part of its rate limit. */
  quota: UsedQuota | undefined;
  readonly #options: MockOrganizationOptions;
  #keys: Promise<OrganizationKeys> | undefined;

  constructor(platform: OrganizationPlatform, index: number, options: MockOrganizationOptions) {
    const random = new Random(`${platform.options.seed}/organization/${index}`);
    this.platform = platform;
    this.index = index;
    this.#options = options;
    this.id = options.id ?? `org_${random.alphanumeric(16)}`;
    this.apiKey = options.apiKey ?? `corridor_test_${random.alphanumeric(32)}`;
    this.name = options.name ?? companyName(random, random.pick(customerCountries));
  }

  /** Whether its keys have been requested: before that, nothing can have been signed with them. */
  get hasKeys(): boolean {
    return this.#keys !== undefined;
  }

  /** Returns the organization's keys; generates them on the first call. */
  keys(): Promise<OrganizationKeys> {
    return (this.#keys ??= this.#makeKeys());
  }

  #makeKeys(): Promise<OrganizationKeys> {
    const { publicKey, privateKey } = this.#options;
    if (publicKey === undefined && privateKey === undefined) return pooledKeys(this.index);
    return importKeys({
      ...(publicKey !== undefined && { publicKey }),
      ...(privateKey !== undefined && { privateKey }),
    });
  }

  /** Runs all scheduled events that are due. */
  runDueEvents(): void {
    this.platform.runDueEvents(this);
  }

  /** Cancels the scheduled transitions of a record whose status does not allow the next one; ends those of a deleted one. */
  reviewSchedule(kind: TransitionableKind, id: string): void {
    const status = this[kind].get(id)?.record.status;
    if (status === undefined) return this.schedule.end({ kind, id });
    const { options, clock } = this.platform;
    const table: { readonly [from: string]: readonly string[] | undefined } = options.transitions[kind];
    const plan = this.schedule.planOf({ kind, id });
    if (plan !== undefined && table[status]?.includes(plan.steps[0] ?? '') !== true)
      this.schedule.cancel(plan, clock.now());
  }

  /** Returns the random numbers of the n-th record of a kind, which do not depend on other records. */
  random(kind: string, sequence: number): Random {
    return new Random(`${this.platform.options.seed}/${this.index}/${kind}/${sequence}`);
  }

  snapshot(): OrganizationSnapshot {
    const { index, id, name, apiKey, crypto } = this;
    const collections = Object.fromEntries(collectionNames.map((kind) => [kind, this[kind].snapshot()]));
    return {
      index,
      id,
      name,
      apiKey,
      tokens: [...this.tokens],
      faults: this.faults.snapshot(),
      schedule: this.schedule.snapshot(),
      ...(this.quota !== undefined && { quota: this.quota }),
      ...(crypto !== defaultCatalog && { crypto }),
      collections,
    };
  }

  restore(snapshot: OrganizationSnapshot): void {
    this.generation += 1;
    for (const kind of collectionNames) {
      (this[kind] as Collection<unknown>).restore(snapshot.collections[kind] ?? { next: 1, rows: [] });
    }
    this.tokens.clear();
    for (const [id, expiry] of snapshot.tokens) this.tokens.set(id, expiry);
    this.faults.restore(snapshot.faults);
    this.schedule.restore(snapshot.schedule);
    this.quota = snapshot.quota;
    this.index = snapshot.index ?? this.index;
    this.crypto = snapshot.crypto === undefined ? defaultCatalog : deepFreeze(snapshot.crypto);
    this.requests.clear();
  }

  /** Returns a function that restores the current records and schedule. */
  savepoint(): () => void {
    const rollBacks = collectionNames.map((kind) => this[kind].savepoint());
    const schedule = this.schedule.snapshot();
    return () => {
      rollBacks.forEach((rollBack) => rollBack());
      this.schedule.restore(schedule);
    };
  }

  /** Returns a function that removes the records added since. */
  insertSavepoint(): () => void {
    const rollBacks = collectionNames.map((kind) => this[kind].insertSavepoint());
    return () => rollBacks.forEach((rollBack) => rollBack());
  }

  /** Removes all records, requests, tokens, faults and scheduled events. */
  reset(): void {
    this.restore({
      id: this.id,
      name: this.name,
      apiKey: this.apiKey,
      tokens: [],
      faults: emptyFaultPlan,
      schedule: emptySchedule,
      collections: {},
    });
  }
}
