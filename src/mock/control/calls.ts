import * as z from 'zod/mini';
import type { MockOrganization } from '../platform/organization.js';
import type { MockPlatform } from '../platform/platform.js';
import type { EndpointName } from '../../contract/endpoints.js';
import { type MockBehavior, type MockOrganizationOptions, resolveOptions } from '../base/mock-options.js';
import { assumptionsOf } from '../platform/assumptions.js';
import { integerFrom, optionsObject } from '../../contract/option-schemas.js';
import { enumOf, string } from '../../contract/schema/schema.js';
import { pageShape, selectPage, type MockPageQuery, type MockRecords } from '../records/builder.js';
import { importKeys } from '../base/keys.js';
import { transitionableKinds } from '../base/transitions.js';
import { contains } from '../faults/request-condition.js';
import { corridorMatchers, type MatcherContext, type MatcherResult } from '../matchers.js';
import { recordKinds } from '../state/record-kinds.js';
import type { ScheduledEvent } from '../state/schedule.js';
import { dueEvents } from './due.js';
import { recordSearch, requestSearch, searchRecords, searchRequests } from './search.js';

/** A call of the control API. */
export interface ControlCall {
  /** The schemas of the arguments by name, in order. */
  readonly parameters: z.ZodMiniObject;
  /** Whether the call only reads, so that it also accepts GET. */
  readonly reads: boolean;
  /**
   * The target: `platform` accepts no organization, `organization` defaults to the first one, and `either` to the whole
   * platform.
   */
  readonly scope: 'organization' | 'platform' | 'either';
  readonly run: Run<never>;
}

type Run<Target> = (target: Target, ...args: readonly never[]) => unknown;

/** A call of the method of its name. */
interface Method {
  readonly args?: Readonly<Record<string, z.ZodMiniType>>;
  readonly reads?: true;
}

/** A call that is no method, or that accepts or returns something else because of JSON. */
interface Call<Target> extends Method {
  readonly run: Run<Target>;
}

type Calls<Target> = Readonly<Record<string, Call<Target>>>;

/** The names of the methods of an object and of its parts, such as `payments.transition`. */
type MethodName<T, Key = keyof T> = Key extends keyof T & string
  ? T[Key] extends (...args: never[]) => unknown
    ? Key
    : `${Key}.${MethodName<T[Key]>}`
  : never;

type Methods<Target> = { readonly [Name in MethodName<Target>]?: Method };

// The method that a call runs validates the content of these.
const [text, object, list] = [z.string(), z.looseObject({}), z.array(z.unknown())];
const [optional, time] = [z.optional(object), z.union([z.string(), z.number()])];

/** The calls of the records of each kind. */
const recordMethods: Methods<MockRecords<unknown, unknown>> = {
  add: { args: { record: optional } },
  get: { args: { id: text }, reads: true },
  update: { args: { id: text, record: object } },
  remove: { args: { id: text } },
  all: { args: { query: optional }, reads: true },
};

/** The calls of the records of each kind that has statuses. */
const transitionMethods: Methods<MockOrganization['payments']> = {
  transition: { args: { id: text, status: z.union([text, object]) } },
  scheduleTransitions: { args: { id: text, statuses: list, trigger: object } },
};

const organizationMethods: Methods<MockOrganization> = {
  populate: { args: { sizes: optional } },
  reset: {},
  ...methodsOf(recordKinds, recordMethods),
  ...methodsOf(transitionableKinds, transitionMethods),
  'payments.createParams': { args: { params: optional } },
  'payments.scheduleTransitionsOnCreate': { args: { statuses: list, trigger: object } },
  'payments.history': { args: { id: text }, reads: true },
  'customers.activity': { args: { id: text }, reads: true },
  'persons.clearMatch': { args: { id: text, matchId: text, disposition: optional } },
  'tickets.reply': { args: { id: text, reply: object } },
  'keys.addPublicKey': { args: { publicKey: text } },
  'keys.revokePublicKey': { args: { keyId: text } },
  'keys.publicKeys': { reads: true },
  'keys.addApiKey': { args: { apiKey: text } },
  'keys.revokeApiKey': { args: { apiKey: text } },
  'keys.apiKeys': { reads: true },
  'crypto.networks': { reads: true },
  'crypto.paymentMethods': { reads: true },
  'crypto.update': { args: { changes: object } },
  'crypto.remove': { args: { network: text, token: z.optional(text) } },
  respond: { args: { endpoint: text, response: object, options: optional } },
  'faults.next': { args: { endpoint: text, fault: object, options: z.optional(z.union([z.number(), object])) } },
  'faults.sequence': { args: { endpoint: text, steps: list, options: optional } },
  'faults.always': { args: { endpoint: text, fault: object, options: optional } },
  'faults.rate': { args: { endpoint: text, probability: z.number(), fault: object, options: optional } },
  'faults.remove': { args: { id: text } },
  'faults.clear': { args: { endpoint: z.optional(text) } },
};

/** The most records that `addMany` returns; of more, it returns the ids. */
const maxAdded = 1000;
const organizationCalls: Calls<MockOrganization> = {
  credentials: { reads: true, run: credentialsOf },
  ...Object.fromEntries(
    recordKinds.map((kind): [string, Call<MockOrganization>] => [
      `${kind}.addMany`,
      {
        args: { count: integerFrom(0, 100_000), record: optional },
        // The records of a large number would be a response of hundreds of megabytes.
        run: ({ [kind]: records }, count: number, record) =>
          Array.from({ length: count }, () => (count > maxAdded ? records.add(record).id : records.add(record))),
      },
    ]),
  ),
  ...Object.fromEntries(
    recordKinds.map((kind): [string, Call<MockOrganization>] => [
      `${kind}.search`,
      {
        args: { query: z.optional(recordSearch()) },
        reads: true,
        run: (organization, query) => searchRecords(organization, kind, query),
      },
    ]),
  ),
  'faults.list': {
    reads: true,
    // JSON has no functions: without a text, such a fault would seem to apply to all requests.
    run: ({ faults }): unknown =>
      JSON.parse(
        JSON.stringify(faults.list(), (_, value: unknown) => (typeof value === 'function' ? 'a function' : value)),
      ),
  },
  scheduled: {
    args: { query: z.optional(optionsObject<EventQuery>({ id: string(), limit: integerFrom(1) })) },
    reads: true,
    run: scheduledIn,
  },
};

const platformMethods: Methods<MockPlatform> = {
  removeOrganization: { args: { id: text } },
  assumptions: { reads: true },
  snapshot: { reads: true },
  restore: { args: { snapshot: object } },
};

const platformCalls: Calls<MockPlatform> = {
  organization: { args: { options: optional }, run: addOrganization },
  organizations: {
    reads: true,
    run: ({ organizations }) => organizations.map(describeOrganization),
  },
  resetAll: { run: (platform) => platform.reset() },
  'requests.search': {
    args: { query: z.optional(requestSearch()) },
    reads: true,
    run: (platform, query) => searchRequests(platform.internals().exchanges, query),
  },
  'requests.get': {
    args: { requestId: text },
    reads: true,
    run: (platform, id) => platform.internals().exchanges.get(id),
  },
  'assumptions.defaults': { reads: true, run: () => assumptionsOf(resolveOptions({})) },
  due: { reads: true, run: dueEvents },
  // The real platform behind the server, and what its responses show; null for a mock.
  upstream: { reads: true, run: ({ upstream }) => upstream?.() },
  // The statuses that a record of each kind may move to, by its current status.
  transitions: {
    reads: true,
    run: (platform) => platform.options.transitions,
  },
  // The options that are set, without defaults.
  behavior: { reads: true, run: ({ behavior }) => behavior },
};

/** Selects requests; `after` is a `requestId`. */
interface RequestQuery extends MockPageQuery {
  readonly status?: number | undefined;
}

const requestQuery = optionsObject<RequestQuery>({ ...pageShape(), status: integerFrom(100, 599) });

const eitherMethods: Methods<MockOrganization> = {
  'scenarios.list': { reads: true },
};

const eitherCalls: Calls<MockOrganization> = {
  'scenarios.add': {
    args: { name: text, scenario: object },
    run: ({ scenarios }, name, scenario) => scenarios.add(name, scenario),
  },
  'scenarios.load': {
    args: { scenario: z.union([text, object]) },
    run: ({ scenarios }, scenario) => scenarios.load(scenario),
  },
  configure: { args: { behavior: object }, run: (target, behavior) => target.configure(withoutNull(behavior)) },
  'clock.now': { reads: true, run: (target) => timeOf(target) },
  'clock.set': { args: { to: time }, run: (target, to) => timeOf(target, () => target.clock.set(to)) },
  'clock.advance': { args: { by: object }, run: (target, by) => timeOf(target, () => target.clock.advance(by)) },
  'clock.freeze': {
    args: { at: z.optional(time) },
    run: (target, at) => timeOf(target, () => target.clock.freeze(at)),
  },
  'clock.reset': { run: (target) => timeOf(target, () => target.clock.reset()) },
  'clock.resume': { run: (target) => timeOf(target, () => target.clock.resume()) },
  requests: {
    args: { endpoint: z.optional(z.nullable(text)), query: z.optional(requestQuery) },
    reads: true,
    run: ({ requests }, endpoint: EndpointName | null | undefined, query: RequestQuery = {}) =>
      selectPage(
        'requests',
        (endpoint === undefined || endpoint === null ? requests : requests.to(endpoint)).map((value) => ({
          id: value.requestId,
          value,
        })),
        query,
        ({ status }) => query.status === undefined || status === query.status,
      ),
  },
  // What a matcher of test runners checks, and why.
  verify: {
    args: { matcher: enumOf(Object.keys(corridorMatchers) as [string]), arguments: z.optional(list) },
    reads: true,
    run: (target, matcher: keyof typeof corridorMatchers, args: readonly unknown[] = []) => {
      const print = (value: unknown): string => JSON.stringify(value);
      const context = { equals: contains, utils: { printExpected: print, printReceived: print } };
      const match = corridorMatchers[matcher] as (this: MatcherContext, ...given: readonly unknown[]) => MatcherResult;
      const { pass, message } = match.call(context, target, ...args);
      return { pass, message: message() };
    },
  },
  waitForRequest: {
    args: { endpoint: text, options: optional },
    run: (target, endpoint, options) => target.waitForRequest(endpoint, options),
  },
  'requests.clear': { run: ({ requests }) => requests.clear() },
};

/** All calls of the control API by name. */
export const controlCalls: ReadonlyMap<string, ControlCall> = new Map([
  ...controlCallsOf('organization', { ...organizationMethods, ...organizationCalls }),
  ...controlCallsOf('platform', { ...platformMethods, ...platformCalls }),
  ...controlCallsOf('either', { ...eitherMethods, ...eitherCalls }),
]);

function controlCallsOf(
  scope: ControlCall['scope'],
  calls: Readonly<Record<string, Method | Call<never>>>,
): [name: string, call: ControlCall][] {
  return Object.entries(calls).map(([call, { args = {}, reads = false, ...row }]) => {
    const run: Run<never> = 'run' in row ? row.run : (target: object, ...given) => callMethod(target, call, given);
    return [call, { parameters: z.strictObject(args), reads, scope, run }];
  });
}

function methodsOf(kinds: readonly string[], methods: Readonly<Record<string, Method>>): Record<string, Method> {
  return Object.fromEntries(
    kinds.flatMap((kind) => Object.entries(methods).map(([method, row]) => [`${kind}.${method}`, row])),
  );
}

type Parts = { readonly [name: string]: Parts } & ((...args: readonly unknown[]) => unknown);

/** Calls a method of a target or of one of its parts. */
function callMethod(target: object, call: string, args: readonly unknown[]): unknown {
  const [part = '', method] = call.split('.');
  const parts = target as Parts;
  return method === undefined ? parts[part]?.(...args) : parts[part]?.[method]?.(...args);
}

/** Replaces null, because JSON cannot represent undefined, which restores the default of an option. */
function withoutNull(behavior: object): MockBehavior {
  return Object.fromEntries(
    Object.entries(behavior).map(([name, value]: [string, unknown]) => [name, value ?? undefined]),
  );
}

/** An organization without its keys. */
export interface OrganizationSummary {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  /** Whether it has its own clock. */
  readonly clock: 'shared' | 'own';
}

const describeOrganization = (organization: MockOrganization): OrganizationSummary => ({
  id: organization.id,
  name: organization.name,
  apiKey: organization.clientOptions().apiKey,
  clock: organization.hasOwnClock ? 'own' : 'shared',
});

async function credentialsOf(organization: MockOrganization): Promise<object> {
  return { ...describeOrganization(organization), ...(await organization.credentials()) };
}

async function addOrganization(platform: MockPlatform, options: MockOrganizationOptions = {}): Promise<object> {
  // Validates the keys first, so that invalid ones do not leave an organization behind.
  if (options.publicKey !== undefined || options.privateKey !== undefined) await importKeys(options);
  const organization = platform.organization(options);
  // With a public key only, there is no private key to return.
  return 'publicKey' in options && !('privateKey' in options)
    ? { baseUrl: platform.baseUrl, ...describeOrganization(organization), ...options }
    : credentialsOf(organization);
}

/** The state of the clock. */
export interface ClockTime {
  /** The time in ISO 8601 format. */
  readonly now: string;
  readonly running: boolean;
}

function timeOf({ clock }: MockOrganization, changeClock: () => void = () => {}): ClockTime {
  changeClock();
  return { now: new Date(clock.now()).toISOString(), running: clock.state.running };
}

/** Selects scheduled events: those of a record or a delayed request by its id, and the most to return. */
interface EventQuery {
  readonly id?: string | undefined;
  readonly limit?: number | undefined;
}

function scheduledIn(organization: MockOrganization, { id, limit }: EventQuery = {}): ScheduledEvent[] {
  const idOf = (event: ScheduledEvent): string => (event.kind === 'transition' ? event.id : event.requestId);
  const events = organization.scheduled();
  return (id === undefined ? events : events.filter((event) => idOf(event) === id)).slice(0, limit);
}
