import * as z from 'zod/mini';
import { MockOrganization } from '../platform/organization.js';
import type { MockPlatform } from '../platform/platform.js';
import { type EndpointName, endpoints } from '../../contract/endpoints.js';
import { type MockBehavior, type MockOrganizationOptions, behaviorOptions } from '../base/options.js';
import { integerFrom, optionsObject } from '../../contract/options.js';
import { memoize, string, metadataOf, type Schema } from '../../contract/schema/schema.js';
import {
  pageShape,
  selectPage,
  type MockPageQuery,
  pageQuery,
  selectElements,
  type MockRecords,
} from '../records/builder.js';
import { importKeys } from '../base/keys.js';
import { transitionableKinds } from '../base/transitions.js';
import { clockState } from '../state/clock.js';
import { faultSchema } from '../faults/fault.js';
import type { ScheduledEvent } from '../state/schedule.js';
import type { MockQuote } from '../records/quotes.js';
import type { StatusChange } from '../state/records.js';
import { historyOf } from '../records/payments.js';

/** A call of the control API, for the platform or for one of its organizations. */
export interface ControlCall {
  /** The schemas of the parameters by name, in order. */
  readonly parameters: z.ZodMiniObject;
  /** Whether the call only reads, so that it also accepts GET. */
  readonly reads?: true;
  /**
   * The target: `platform` accepts no organization, `either` defaults to the whole platform. Otherwise the target
   * defaults to the first organization.
   */
  readonly scope?: 'platform' | 'either';
  readonly run: (platform: MockPlatform, organization: MockOrganization, ...args: readonly never[]) => unknown;
}

/** The schemas of parameters whose content the called method validates. */
const [text, object, list] = [z.string(), z.looseObject({}), z.array(z.unknown())];
const noParameters = z.strictObject({});

/** Calls by their names. */
export type NamedCalls = readonly (readonly [name: string, call: ControlCall])[];

/** Selects requests; `after` is a `requestId`. */
interface RequestQuery extends MockPageQuery {
  readonly status?: number | undefined;
}

const requestQuery = memoize(() => optionsObject<RequestQuery>({ ...pageShape(), status: integerFrom(100, 599) }));

/** The calls that read the requests, and read and change the behavior and the whole state. */
const platformCalls: NamedCalls = [
  [
    'requests',
    {
      parameters: z.strictObject({ endpoint: z.optional(z.nullable(text)), query: z.optional(requestQuery()) }),
      reads: true,
      scope: 'either',
      run: (_, { requests }, name: EndpointName | null | undefined, query: RequestQuery = {}) =>
        selectPage(
          'requests',
          (name === undefined || name === null ? requests : requests.to(name)).map((value) => ({
            id: value.requestId,
            value,
          })),
          query,
          ({ status }) => query.status === undefined || status === query.status,
        ),
    },
  ],
  ['requests.clear', { scope: 'either', parameters: noParameters, run: (_, { requests }) => requests.clear() }],
  [
    'assumptions',
    { scope: 'platform', parameters: noParameters, reads: true, run: (platform) => platform.assumptions() },
  ],
  [
    'configure',
    {
      scope: 'platform',
      parameters: z.strictObject({ behavior: object }),
      run: (platform, _, behavior) => platform.configure(withoutNull(behavior)),
    },
  ],
  ['snapshot', { scope: 'platform', parameters: noParameters, reads: true, run: (platform) => platform.snapshot() }],
  [
    'restore',
    {
      scope: 'platform',
      parameters: z.strictObject({ snapshot: object }),
      run: (platform, _, snapshot) => platform.restore(snapshot),
    },
  ],
  [
    'scenarios.list',
    { scope: 'platform', parameters: noParameters, reads: true, run: ({ scenarios }) => scenarios.list() },
  ],
  [
    'scenarios.load',
    {
      scope: 'platform',
      // A name only: the server loads the scenarios of the package and those that it was started with.
      parameters: z.strictObject({ name: text }),
      run: ({ scenarios }, _, name) => scenarios.load(name as string),
    },
  ],
  ['reset', { parameters: noParameters, run: (_, organization) => organization.reset() }],
  ['resetAll', { scope: 'platform', parameters: noParameters, run: (platform) => platform.reset() }],
];

/** Replaces null, because JSON cannot represent undefined, which restores the default of an option. */
function withoutNull(behavior: object): MockBehavior {
  return Object.fromEntries(
    Object.entries(behavior).map(([name, value]: [string, unknown]) => [name, value ?? undefined]),
  );
}

const describeOrganization = (organization: MockOrganization): object => ({
  id: organization.id,
  name: organization.name,
  apiKey: organization.clientOptions().apiKey,
});

async function credentialsOf(organization: MockOrganization): Promise<object> {
  return { id: organization.id, name: organization.name, ...(await organization.credentials()) };
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

/** The calls that add, list and fill organizations. */
const organizationCalls: NamedCalls = [
  [
    'organization',
    {
      scope: 'platform',
      parameters: z.strictObject({ options: z.optional(object) }),
      run: (platform, _, options) => addOrganization(platform, options),
    },
  ],
  [
    'organizations',
    {
      scope: 'platform',
      parameters: z.strictObject({ query: z.optional(pageQuery()) }),
      reads: true,
      run: (platform, _, query) =>
        selectElements('organizations', platform.organizations, query).map(describeOrganization),
    },
  ],
  [
    'removeOrganization',
    {
      scope: 'platform',
      parameters: z.strictObject({ id: text }),
      run: (platform, _, id) => platform.removeOrganization(id),
    },
  ],
  ['credentials', { parameters: noParameters, reads: true, run: (_, organization) => credentialsOf(organization) }],
  [
    'populate',
    {
      parameters: z.strictObject({ sizes: z.optional(object) }),
      run: (_, organization, sizes) => organization.populate(sizes),
    },
  ],
];

const recordKinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;
type RecordsGetter = (organization: MockOrganization) => MockRecords<unknown, never>;

function callsOfKind(kind: string, recordsIn: RecordsGetter): NamedCalls {
  return [
    [
      `${kind}.add`,
      {
        parameters: z.strictObject({ record: z.optional(object) }),
        run: (_, organization, record) => recordsIn(organization).add(record),
      },
    ],
    [
      `${kind}.addMany`,
      {
        parameters: z.strictObject({ count: integerFrom(0, 100_000), record: z.optional(object) }),
        run: (_, organization, count, record) =>
          recordsIn(organization).addMany(count, record === undefined ? undefined : () => record),
      },
    ],
    [
      `${kind}.get`,
      {
        parameters: z.strictObject({ id: text }),
        reads: true,
        run: (_, organization, id) => recordsIn(organization).get(id as string),
      },
    ],
    [
      `${kind}.update`,
      {
        parameters: z.strictObject({ id: text, record: object }),
        run: (_, organization, id, record) => recordsIn(organization).update(id, record),
      },
    ],
    [
      `${kind}.remove`,
      {
        parameters: z.strictObject({ id: text }),
        run: (_, organization, id) => recordsIn(organization).remove(id),
      },
    ],
    [
      `${kind}.all`,
      {
        parameters: z.strictObject({ query: z.optional(object) }),
        reads: true,
        run: (_, organization, query) => recordsIn(organization).all(query),
      },
    ],
  ];
}

function transitionCalls(kind: 'payments' | 'customers' | 'beneficiaries'): NamedCalls {
  return [
    [
      `${kind}.transition`,
      {
        parameters: z.strictObject({ id: text, status: text }),
        run: (_, organization, id, status) => organization[kind].transition(id, status),
      },
    ],
    [
      `${kind}.scheduleTransitions`,
      {
        parameters: z.strictObject({ id: text, statuses: list, trigger: object }),
        run: (_, organization, id, statuses, trigger) => organization[kind].scheduleTransitions(id, statuses, trigger),
      },
    ],
  ];
}

/** The calls that add, read and change records. */
const recordCalls: NamedCalls = [
  ...recordKinds.flatMap((kind) =>
    callsOfKind(kind, (organization) => organization[kind] as MockRecords<unknown, never>),
  ),
  ...transitionableKinds.flatMap(transitionCalls),
  ['crypto.networks', { parameters: noParameters, reads: true, run: (_, { crypto }) => crypto.networks() }],
  ['crypto.paymentMethods', { parameters: noParameters, reads: true, run: (_, { crypto }) => crypto.paymentMethods() }],
  [
    'crypto.update',
    { parameters: z.strictObject({ changes: object }), run: (_, { crypto }, changes) => crypto.update(changes) },
  ],
  [
    'crypto.remove',
    {
      parameters: z.strictObject({ network: text, token: z.optional(text) }),
      run: (_, { crypto }, network, token) => crypto.remove(network, token),
    },
  ],
  [
    'persons.clearMatch',
    {
      parameters: z.strictObject({ id: text, matchId: text, disposition: z.optional(object) }),
      run: (_, organization, id, matchId, disposition) => organization.persons.clearMatch(id, matchId, disposition),
    },
  ],
  [
    'tickets.reply',
    {
      parameters: z.strictObject({ id: text, reply: object }),
      run: (_, organization, id, reply) => organization.tickets.reply(id, reply),
    },
  ],
  [
    'payments.createParams',
    {
      parameters: z.strictObject({ params: z.optional(object) }),
      run: (_, organization, params) => organization.payments.createParams(params),
    },
  ],
  [
    'payments.scheduleTransitionsOnCreate',
    {
      parameters: z.strictObject({ statuses: list, trigger: object }),
      run: (_, organization, statuses, trigger) => organization.payments.scheduleTransitionsOnCreate(statuses, trigger),
    },
  ],
  [
    'payments.history',
    {
      parameters: z.strictObject({ id: text }),
      reads: true,
      run: (_, organization, id) => organization.payments.history(id as string),
    },
  ],
  [
    'customers.activity',
    {
      parameters: z.strictObject({ id: text }),
      reads: true,
      run: (_, organization, id) => organization.customers.activity(id),
    },
  ],
];

const time = z.union([z.string(), z.number()]);

/** The calls that read and move the clock. */
const clockCalls: NamedCalls = [
  ['clock.now', { scope: 'platform', parameters: noParameters, reads: true, run: (platform) => timeOf(platform) }],
  [
    'clock.set',
    {
      scope: 'platform',
      parameters: z.strictObject({ to: time }),
      run: (platform, _, to) => timeOf(platform, () => platform.clock.set(to)),
    },
  ],
  [
    'clock.advance',
    {
      scope: 'platform',
      parameters: z.strictObject({ by: object }),
      run: (platform, _, by) => timeOf(platform, () => platform.clock.advance(by)),
    },
  ],
  [
    'clock.freeze',
    {
      scope: 'platform',
      parameters: z.strictObject({ at: z.optional(time) }),
      run: (platform, _, at) => timeOf(platform, () => platform.clock.freeze(at)),
    },
  ],
  [
    'clock.resume',
    { scope: 'platform', parameters: noParameters, run: (platform) => timeOf(platform, () => platform.clock.resume()) },
  ],
];

function timeOf({ clock }: MockPlatform, changeClock: () => void = () => {}): object {
  changeClock();
  return { now: new Date(clock.now()).toISOString(), running: clockState(clock).running };
}

const options = z.optional(object);

/** The calls that plan, list and remove faults. */
const faultCalls: NamedCalls = [
  [
    'faults.next',
    {
      parameters: z.strictObject({ endpoint: text, fault: object, options: z.optional(z.union([z.number(), object])) }),
      run: (_, organization, target, fault, times) => organization.faults.next(target, fault, times),
    },
  ],
  [
    'faults.sequence',
    {
      parameters: z.strictObject({ endpoint: text, steps: list, options }),
      run: (_, organization, target, steps, chosen) => organization.faults.sequence(target, steps, chosen),
    },
  ],
  [
    'faults.always',
    {
      parameters: z.strictObject({ endpoint: text, fault: object, options }),
      run: (_, organization, target, fault, chosen) => organization.faults.always(target, fault, chosen),
    },
  ],
  [
    'faults.rate',
    {
      parameters: z.strictObject({ endpoint: text, probability: z.number(), fault: object, options }),
      run: (_, organization, target, probability, fault, chosen) =>
        organization.faults.rate(target, probability, fault, chosen),
    },
  ],
  [
    'faults.remove',
    { parameters: z.strictObject({ id: text }), run: (_, organization, id) => organization.faults.remove(id) },
  ],
  [
    'faults.clear',
    {
      parameters: z.strictObject({ endpoint: z.optional(text) }),
      run: (_, organization, target) => organization.faults.clear(target),
    },
  ],
  [
    'faults.list',
    {
      parameters: z.strictObject({ query: z.optional(pageQuery()) }),
      reads: true,
      // JSON has no functions: without a text, such a fault would seem to apply to all requests.
      run: (_, organization, query) =>
        selectElements('faults.list', organization.faults.list(), query).map((fault) =>
          typeof fault.when === 'function' ? { ...fault, when: 'a function' } : fault,
        ),
    },
  ],
];

/** Converts a schema to a JSON Schema; the description of each value is its rule. */
function jsonSchemaOf(schema: Schema<unknown>): object {
  return z.toJSONSchema(schema(), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { rule } = metadataOf(zodSchema);
      if (rule !== undefined) jsonSchema.description = rule;
    },
  });
}

/** Selects scheduled events: those of a record or a delayed request by its id, and the most to return. */
interface EventQuery {
  readonly id?: string | undefined;
  readonly limit?: number | undefined;
}

const eventQuery = memoize(() => optionsObject<EventQuery>({ id: string(), limit: integerFrom(1) }));

function scheduledIn(organization: MockOrganization, { id, limit }: EventQuery = {}): ScheduledEvent[] {
  const idOf = (event: ScheduledEvent): string => (event.kind === 'transition' ? event.id : event.requestId);
  const events = organization.scheduled();
  return (id === undefined ? events : events.filter((event) => idOf(event) === id)).slice(0, limit);
}

/** Returns the statuses that a record of each kind may move to, by its current status. */
function transitionsOf(platform: MockPlatform): unknown {
  return platform.assumptions().find(({ id, option }) => id === 'A-10' && option === 'transitions')?.value;
}

/** The calls that show what happened, what will happen and what is possible. */
const inspectionCalls: NamedCalls = [
  [
    'requests.get',
    {
      scope: 'platform',
      parameters: z.strictObject({ requestId: text }),
      reads: true,
      run: (platform, _, requestId) => platform.recordExchanges().get(requestId),
    },
  ],
  [
    'scheduled',
    {
      parameters: z.strictObject({ query: z.optional(eventQuery()) }),
      reads: true,
      run: (_, organization, query) => scheduledIn(organization, query),
    },
  ],
  ['due', { scope: 'platform', parameters: noParameters, reads: true, run: dueEvents }],
  [
    'payments.statusCounts',
    {
      parameters: z.strictObject({ count: integerFrom(1, 1_000) }),
      reads: true,
      run: ({ clock }, organization, count) => statusCounts(organization, clock.now(), count),
    },
  ],
  ['transitions', { scope: 'platform', parameters: noParameters, reads: true, run: transitionsOf }],
  [
    'schemas',
    {
      scope: 'platform',
      parameters: noParameters,
      reads: true,
      run: () => ({
        fault: jsonSchemaOf(faultSchema),
        behavior: jsonSchemaOf(behaviorOptions),
        endpoints: Object.entries(endpoints).map(([name, { method, path }]) => ({ name, method, path })),
      }),
    },
  ],
];

/** A scheduled event, or the expiry of an unused quote. */
export type DueEvent = {
  /** The id of the organization. */
  readonly organization: string;
} & (
  | ScheduledEvent
  | ({ readonly kind: 'expiry'; readonly at: string; readonly reads: null } & Pick<
      MockQuote,
      'id' | 'paymentAmount' | 'paymentCurrencyCode'
    >)
);

/** What is due in all organizations. */
export interface DueEvents {
  /** The number of events. */
  readonly count: number;
  /** The first events: those with a time in their order, then those that wait for reads. */
  readonly events: readonly DueEvent[];
}

/** The most events that a response contains: a scenario may schedule thousands. */
const maxListed = 100;

/** Returns what is due in all organizations. */
function dueEvents({ organizations, clock }: MockPlatform): DueEvents {
  const now = clock.now();
  const events = organizations.flatMap((each): DueEvent[] => {
    const organization = each.id;
    return [
      ...each
        .scheduled()
        .filter((event) => event.kind === 'request' || event.state === 'scheduled')
        .map((event) => ({ organization, ...event })),
      ...MockOrganization.stateOf(each)
        .quotes.values()
        .filter(({ record: { usedAt, expiresAt } }) => usedAt === null && Date.parse(expiresAt) > now)
        .map(({ record: { id, expiresAt: at, paymentAmount, paymentCurrencyCode } }): DueEvent => {
          const quote = { id, paymentAmount, paymentCurrencyCode };
          return { organization, kind: 'expiry', at, reads: null, ...quote };
        }),
    ];
  });
  const dueTime = ({ at }: DueEvent): number => (at === null ? Infinity : Date.parse(at));
  return {
    count: events.length,
    events: events.toSorted((left, right) => dueTime(left) - dueTime(right) || 0).slice(0, maxListed),
  };
}

/** How many payments had each status, at evenly spaced times of the mock's clock. */
export interface StatusCounts {
  /** The time before the first counts, in milliseconds since the epoch. */
  readonly from: number;
  /** The time of the last counts: now, or the last change if that is later. */
  readonly to: number;
  readonly counts: readonly Readonly<Record<string, number>>[];
}

/** The shortest time between the first and the last counts, in milliseconds. */
const minSpan = 60_000;

/** Counts the payments of an organization by status, from the first creation until now. */
function statusCounts(organization: MockOrganization, now: number, count: number): StatusCounts {
  const histories = MockOrganization.stateOf(organization)
    .payments.values()
    .map((payment) => historyOf(payment).map(({ status, at }) => ({ status, at: Date.parse(at) })));
  let [first, to] = [now, now];
  for (const { at } of histories.flat()) [first, to] = [Math.min(first, at), Math.max(to, at)];
  const from = Math.min(first, to - minSpan);
  const spaces = Array.from({ length: count }, () => new Map<StatusChange['status'], number>());
  const add = (index: number, status: StatusChange['status'] | undefined, difference: number): void => {
    const changes = spaces[index];
    if (status !== undefined) changes?.set(status, (changes.get(status) ?? 0) + difference);
  };
  for (const history of histories) {
    for (const [index, { status, at }] of history.entries()) {
      const space = Math.max(0, Math.ceil(((at - from) / (to - from)) * count) - 1);
      add(space, status, 1);
      add(space, history[index - 1]?.status, -1);
    }
  }
  const current = new Map<StatusChange['status'], number>();
  const counts = spaces.map((changes) => {
    for (const [status, difference] of changes) current.set(status, (current.get(status) ?? 0) + difference);
    return Object.fromEntries([...current].filter(([, payments]) => payments > 0));
  });
  return { from, to, counts };
}

/** All calls of the control API. Their names are those of the platform's methods. */
export const controlCalls: ReadonlyMap<string, ControlCall> = new Map([
  ...organizationCalls,
  ...recordCalls,
  ...faultCalls,
  ...clockCalls,
  ...platformCalls,
  ...inspectionCalls,
]);
