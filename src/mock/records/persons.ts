import * as z from 'zod/mini';
import { integerFrom } from '../../contract/option-schemas.js';
import { requestId, string, memoize, strictObject, withMetadata } from '../../contract/schema/schema.js';
import {
  personScreening,
  screeningRun as screeningRunSchema,
  type PersonScreening,
  type ScreeningDisposition,
  type ScreeningMatch,
  type ScreeningQuery,
  type ScreeningRun,
  type ScreeningSubject,
} from '../../contract/schema/screening.js';
import { MockPlatformError } from '../base/mock-error.js';
import { deepFreeze, omitUndefined } from '../base/freeze.js';
import { personName } from '../data/names.js';
import type { Random } from '../data/random.js';
import { Collection } from '../state/collection.js';
import type { OrganizationState } from '../state/platform-state.js';
import type { StoredPerson } from '../state/record-kinds.js';
import { resolveCustomerId, staffMember, type StaffMember } from './customers.js';
import {
  fieldsOf,
  inputOf,
  recordsOf,
  requireConforming,
  secondsAfter,
  timestampNow,
  type MockRecords,
  type PartialInput,
  unknownRecord,
} from './builder.js';

/** The screening result in the input of `persons.add`. */
export interface MockScreeningInput {
  /** Fields that replace those of the generated subject. */
  readonly subject?: PartialInput<ScreeningSubject> | undefined;
  /** Fields that replace those of the generated query. */
  readonly query?: PartialInput<ScreeningQuery> | undefined;
  /** The open matches. @default one match with a politically exposed person */
  readonly openMatches?: readonly PartialInput<ScreeningMatch>[] | undefined;
  /** The dispositions of cleared matches. @default one disposition */
  readonly previouslyCleared?: readonly PartialInput<ScreeningDisposition>[] | undefined;
  /** The reason why the result is read-only. @default null */
  readonly readOnlyReason?: string | null | undefined;
}

/** The input of `persons.add`. */
export interface MockPersonInput {
  /** The person's id. @default a generated id */
  readonly id?: string | undefined;
  /** The customer the person belongs to. @default a new customer */
  readonly customerId?: string | undefined;
  /** Parts that replace those of the generated screening result. */
  readonly screening?: MockScreeningInput | undefined;
  /** The screening runs, newest first, or their number. @default 3 */
  readonly runs?: number | readonly PartialInput<ScreeningRun>[] | undefined;
}

/** Each run is a month older than the next; more of them would have years before 0. */
const maxRuns = 10_000;

/** The schema of the input. The builder generates the parts that are missing, also in objects of arrays. */
export const personInput = memoize(() => {
  const { subject, query, openMatches, previouslyCleared, readOnlyReason } = fieldsOf(personScreening()) as Readonly<
    Record<keyof PersonScreening, z.ZodMiniType>
  >;
  const itemsOf = (records: z.ZodMiniType) =>
    z.array(inputOf((records as z.ZodMiniArray<z.ZodMiniType>)._zod.def.element));
  const screening = z.strictObject({
    subject: inputOf(subject),
    query: inputOf(query),
    openMatches: itemsOf(openMatches),
    previouslyCleared: itemsOf(previouslyCleared),
    readOnlyReason,
  });
  const runs = z.union([integerFrom(0, maxRuns), z.array(inputOf(screeningRunSchema()))]);
  return inputOf(personHead(), {
    screening: withMetadata(z.partial(screening), {
      hints: { historyCount: 'is always the number of runs and cannot be set. Pass runs instead' },
    }),
    runs: withMetadata(runs, { rule: `must be an integer from 0 to ${maxRuns}, or an array of objects` }),
  });
});

/** A person of a customer, with the screening results. */
export interface MockPerson {
  /** The person's id. */
  readonly id: string;
  /** The customer the person belongs to. */
  readonly customerId: string;
  /** The result that `screening.get` returns. */
  readonly screening: PersonScreening;
  /** The runs that `screening.history` returns, newest first. */
  readonly runs: readonly ScreeningRun[];
}

const personHead = memoize(() =>
  strictObject<Pick<StoredPerson, 'id' | 'customerId'>>({ id: requestId(), customerId: string() }),
);

/**
 * Creates and stores a person, and its customer unless the input names one. The person was screened every month until a
 * time, by default now.
 */
export function createPerson(
  organization: OrganizationState,
  { screening = {}, runs = 3, ...input }: MockPersonInput = {},
  at = timestampNow(organization),
): StoredPerson {
  const random = organization.random('persons', organization.persons.next);
  const generatedId = random.id('per_');
  const id = input.id ?? generatedId;
  const customerId = resolveCustomerId(organization, 'persons.add', input.customerId, at);
  const unscreened = {
    id,
    customerId,
    screening: newScreening(organization, { id, customerId }, at, random),
    runs: [],
  };
  const timeOf = (index: number): string => secondsAfter(at, -30 * secondsPerDay * index);
  const [count, first] = typeof runs === 'number' ? [runs] : [runs.length, runs.at(-1)?.createdAt];
  // The first run found what a reviewer cleared within a day.
  const nextDay = secondsAfter(first ?? timeOf(Math.max(0, count - 1)), secondsPerDay);
  const person = withInput(
    organization,
    unscreened,
    { screening: { openMatches: [{}], previouslyCleared: [{}], ...omitUndefined(screening) }, runs },
    { random, timeOf, clearedAt: Date.parse(nextDay) < Date.parse(at) ? nextDay : at },
  );
  return organization.persons.insert(id, Date.parse(at), person);
}

/** Returns elements with the fields of the inputs, and others of the present one with the same id or generated ones. */
function merged<T extends object>(
  id: keyof T,
  inputs: readonly PartialInput<T>[] | undefined,
  present: readonly T[],
  generate: (input: PartialInput<T>, index: number) => T,
): readonly T[] {
  return inputs === undefined
    ? present
    : inputs.map((input, index) => ({
        ...(present.find((each) => each[id] === input[id]) ?? generate(input, index)),
        ...omitUndefined(input),
      }));
}

/** What new parts of a screening are generated from. */
interface Source {
  readonly random: Random;
  /** Returns the time of a new run by its index; the newest is the first. */
  readonly timeOf: (index: number) => string;
  /** The time at which new dispositions cleared their matches. */
  readonly clearedAt: string;
}

/**
 * Returns a person with the fields of an input, and others of the present ones or generated ones. A number of runs adds
 * new ones before the present ones, or keeps the newest of these.
 */
function withInput(
  organization: OrganizationState,
  { id, customerId, screening: present, runs: before }: StoredPerson,
  { screening: given = {}, runs }: MockPersonInput,
  { random, timeOf, clearedAt }: Source,
): StoredPerson {
  const openMatches = merged('matchId', given.openMatches, present.openMatches, () =>
    screeningMatch(present.subject.displayName, countryOf(organization, customerId), timeOf(0), random),
  );
  const previouslyCleared = merged('id', given.previouslyCleared, present.previouslyCleared, () =>
    screeningDisposition(staffMember(organization, 'reviewer', random), clearedAt, random),
  );
  const added = typeof runs === 'number' ? Math.max(0, runs - before.length) : 0;
  const inputs =
    typeof runs === 'number' ? [...Array.from({ length: added }, () => ({})), ...before].slice(0, runs) : runs;
  const history = merged('screeningId', inputs, before, ({ createdAt }, index) =>
    screeningRun(random, createdAt ?? timeOf(index), { openMatches, previouslyCleared }),
  );
  const newest = inputs && history[0]?.createdAt;
  const at = newest !== undefined && Date.parse(newest) > Date.parse(present.subject.lastScreenedAt) && newest;
  return {
    id,
    customerId,
    screening: {
      subject: {
        ...present.subject,
        ...(given.openMatches && consequencesOf(openMatches)),
        ...(at !== false && screenedAt(at)),
        ...omitUndefined(given.subject ?? {}),
      },
      query: {
        ...present.query,
        ...(at !== false && { dataVersion: dataVersion(at) }),
        ...omitUndefined(given.query ?? {}),
      },
      openMatches,
      previouslyCleared,
      readOnlyReason: given.readOnlyReason === undefined ? present.readOnlyReason : given.readOnlyReason,
    },
    runs: runCollection(history).values().toReversed(),
  };
}

/** Returns runs, passed newest first, in the order of their times. Throws `MockPlatformError` if two have the same id. */
export function runCollection(runs: readonly ScreeningRun[]): Collection<ScreeningRun> {
  const collection = new Collection<ScreeningRun>();
  for (const run of runs.toReversed()) collection.insert(run.screeningId, Date.parse(run.createdAt), run);
  return collection;
}

/** Returns a person's screening result in wire format, with the number of runs. */
export const toWireScreening = ({ screening, runs }: StoredPerson): PersonScreening => ({
  ...screening,
  historyCount: runs.length,
});

const toView = (_: OrganizationState, stored: StoredPerson): MockPerson => ({
  ...stored,
  screening: toWireScreening(stored),
});

/**
 * The persons of an organization's customers, with their screening.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const customer = platform.customers.add();
 * const clean = platform.persons.add({ customerId: customer.id, screening: { openMatches: [] } });
 * const screening = { openMatches: [{ isMatch: true, score: '0.97' }] };
 * const held = platform.persons.add({ customerId: customer.id, screening, runs: 12 });
 * ```
 */
export interface MockPersons extends MockRecords<MockPerson, MockPersonInput> {
  /**
   * Replaces fields of a person. `openMatches`, `previouslyCleared` and `runs` replace the present ones; an element
   * with the id of a present one keeps its other fields. A larger number of `runs` adds runs at the time of the mock's
   * clock. Throws `MockPlatformError` if the id does not exist or a field is invalid; then nothing is changed.
   */
  update(id: string, partial: MockPersonInput): MockPerson;
  /**
   * Clears an open match of a person, as a reviewer of the platform does: moves it to `previouslyCleared`, and lifts
   * the hold with the last one. Throws `MockPlatformError` if the person or the match does not exist.
   */
  clearMatch(id: string, matchId: string, disposition?: PartialInput<ScreeningDisposition>): MockPerson;
}

/** Creates the public interface of the persons. */
export function personRecords(organization: OrganizationState): MockPersons {
  return {
    ...recordsOf(organization, {
      name: 'persons',
      input: personInput,
      create: createPerson,
      toView,
      change: changePerson,
    }),
    clearMatch: (id, matchId, disposition) => {
      const changed = clearMatch(organization, id, matchId, disposition);
      organization.persons.update(id, () => changed);
      return deepFreeze(toView(organization, changed));
    },
  };
}

/** Returns the consequences of open matches. */
function consequencesOf(
  matches: readonly ScreeningMatch[],
): Pick<ScreeningSubject, 'openMatchCount' | 'paymentHold' | 'onboardingBlocked'> {
  const onboardingBlocked = matches.some(({ isMatch }) => isMatch);
  return { paymentHold: matches.length > 0, onboardingBlocked, openMatchCount: matches.length };
}

/** Returns a person with other fields. Ids are drawn from all present ones: those drawn from their number would repeat. */
function changePerson(organization: OrganizationState, before: StoredPerson, input: MockPersonInput): StoredPerson {
  const { openMatches, previouslyCleared } = before.screening;
  const ids = [openMatches.map(({ matchId }) => matchId), previouslyCleared.map(({ id }) => id)];
  const runs = before.runs.map(({ screeningId }) => screeningId);
  const random = organization.random(`persons/${before.id}/changes/${[...ids, runs].join()}`, 0);
  const now = timestampNow(organization);
  return withInput(organization, before, input, { random, timeOf: () => now, clearedAt: now });
}

/** Returns a person without an open match, which a reviewer cleared. */
function clearMatch(
  organization: OrganizationState,
  id: string,
  matchId: string,
  input: PartialInput<ScreeningDisposition> = {},
): StoredPerson {
  const call = 'persons.clearMatch';
  requireConforming(organization, call, personInput, { screening: { previouslyCleared: [input] } });
  const before = organization.persons.get(id) ?? unknownRecord(call, 'id', id);
  const { openMatches, previouslyCleared } = before.screening;
  const cleared = openMatches.find((match) => match.matchId === matchId);
  if (cleared === undefined)
    throw new MockPlatformError(
      `${call}: ${JSON.stringify(matchId)} is not an open match of ${id} ` +
        `(open: ${openMatches.map((match) => match.matchId).join(', ') || 'none'}). Pass the matchId of an ` +
        'open match.',
    );
  const { osEntityId, topics: topicsAtDecision } = cleared;
  return changePerson(organization, before, {
    screening: {
      openMatches: openMatches.filter((match) => match !== cleared),
      previouslyCleared: [{ osEntityId, topicsAtDecision, ...omitUndefined(input) }, ...previouslyCleared],
    },
  });
}

const secondsPerDay = 86_400;
/** Returns the version of the lists that a run uses: its day. */
const dataVersion = (timestamp: string): string => timestamp.slice(0, 10).replaceAll('-', '');

const screenedAt = (at: string): Pick<ScreeningSubject, 'lastScreenedAt' | 'nextDueAt'> => ({
  lastScreenedAt: at,
  nextDueAt: secondsAfter(at, 30 * secondsPerDay),
});

const countryOf = (organization: OrganizationState, customerId: string): string =>
  organization.customers.get(customerId)?.record.countryOfIncorporation.alpha2 ?? 'US';

/** Creates the screening of a person without matches. */
function newScreening(
  organization: OrganizationState,
  { id, customerId }: Pick<StoredPerson, 'id' | 'customerId'>,
  at: string,
  random: Random,
): StoredPerson['screening'] {
  const { first, last } = personName(random);
  const displayName = `${first} ${last}`;
  const birthDate = `${random.int(1955, 1999)}-0${random.int(1, 9)}-1${random.int(0, 9)}`;
  return {
    subject: {
      subjectId: random.id('sub_'),
      entityId: id,
      displayName,
      customerId,
      customerName: organization.customers.get(customerId)?.record.companyName ?? '',
      beneficiaryId: '',
      ...consequencesOf([]),
      ...screenedAt(at),
    },
    query: {
      properties: [
        { label: 'Name', key: 'name', values: [displayName] },
        { label: 'Date of birth', key: 'birthDate', values: [birthDate] },
        { label: 'Country', key: 'country', values: [countryOf(organization, customerId).toLowerCase()] },
      ],
      algorithm: 'logic-v1',
      threshold: '0.70',
      topicsScope: ['sanction', 'role.pep', 'crime'],
      datasetScope: 'default',
      dataVersion: dataVersion(at),
    },
    openMatches: [],
    previouslyCleared: [],
    readOnlyReason: null,
  };
}

/** Creates an open match of a person. */
function screeningMatch(name: string, country: string, createdAt: string, random: Random): ScreeningMatch {
  const last = name.slice(name.indexOf(' ') + 1);
  const { first } = personName(random);
  const candidate = `${first} ${last}`;
  const score = `0.${random.int(70, 89)}`;
  return {
    matchId: random.id('mat_'),
    osEntityId: `Q${random.digits(7)}`,
    caption: candidate,
    schema: 'Person',
    score,
    isMatch: false,
    topics: ['role.pep'],
    datasets: ['wd_peps'],
    aliases: [candidate, `${last}, ${first}`],
    features: [
      {
        key: 'name_match',
        label: 'Name',
        score,
        matchedValue: name,
        candidateValue: candidate,
        note: 'Last names are equal',
      },
      {
        key: 'country_match',
        label: 'Country',
        score: '1.00',
        matchedValue: country,
        candidateValue: country,
        note: '',
      },
    ],
    evidence: [
      { label: 'Position', values: ['Member of a provincial assembly'], fullWidth: false },
      { label: 'Summary', values: [`${candidate} held office from 2008 to 2014.`], fullWidth: true },
    ],
    disposition: null,
    createdAt,
  };
}

/** Creates the disposition of a match that a reviewer cleared. */
function screeningDisposition(reviewer: StaffMember, reviewedAt: string, random: Random): ScreeningDisposition {
  return {
    id: random.id('dis_'),
    osEntityId: `Q${random.digits(7)}`,
    reason: 'Date of birth differs',
    reviewedByUserId: reviewer.id,
    reviewedByDisplayName: `${reviewer.first} ${reviewer.last}`,
    reviewedAt,
    topicsAtDecision: ['role.pep'],
  };
}

/** Creates a screening run, which found the matches that were open at its time, and those that were cleared later. */
function screeningRun(
  random: Random,
  createdAt: string,
  { openMatches, previouslyCleared }: Pick<PersonScreening, 'openMatches' | 'previouslyCleared'>,
): ScreeningRun {
  const at = Date.parse(createdAt);
  const open = openMatches.filter((match) => Date.parse(match.createdAt) <= at);
  const cleared = previouslyCleared.filter(({ reviewedAt }) => Date.parse(reviewedAt) >= at);
  return {
    screeningId: random.id('scr_'),
    matchCount: open.length + cleared.length,
    dataVersion: dataVersion(createdAt),
    createdAt,
    errorMessage: '',
  };
}
