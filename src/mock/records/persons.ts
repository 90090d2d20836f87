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
import { personName, type PersonName } from '../data/names.js';
import type { Random } from '../data/random.js';
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
 * Creates and stores a person, and its customer unless the input names one. The person was last screened at a time, by
 * default now.
 */
export function createPerson(
  organization: OrganizationState,
  input: MockPersonInput = {},
  at = timestampNow(organization),
): StoredPerson {
  const random = organization.random('persons', organization.persons.next);
  const { screening = {}, runs = 3 } = input;
  const generatedId = random.id('per_');
  const id = input.id ?? generatedId;
  const inputs = runInputs(runs, []);
  const timeOf = (index: number): string => secondsAfter(at, -30 * secondsPerDay * index);
  const firstRun = inputs.at(-1)?.createdAt ?? timeOf(Math.max(0, inputs.length - 1));
  const customerId = resolveCustomerId(organization, 'persons.add', input.customerId, at);
  const person = summaryOf(organization, { id, customerId, name: personName(random), at, firstRun }, random);
  const generated = { openMatches: [{}], previouslyCleared: [{}], ...omitUndefined(screening) };
  const result = screeningOf(random, person, generated);
  const history = runsOf(random, result, inputs, [], timeOf);
  const stored = organization.persons.insert(id, Date.parse(at), { id, customerId, screening: result });
  insertRuns(organization, id, history);
  return stored;
}

/** Returns elements with the fields of the inputs, and others of the present one with the same id or generated ones. */
function merged<T extends object>(
  id: keyof T,
  inputs: readonly PartialInput<T>[],
  present: readonly T[],
  generate: (input: PartialInput<T>, index: number) => T,
): T[] {
  return inputs.map((input, index) => ({
    ...(present.find((each) => each[id] === input[id]) ?? generate(input, index)),
    ...omitUndefined(input),
  }));
}

/** A screening result without the count of its runs. */
type Screening = StoredPerson['screening'];

/**
 * Returns a screening result with the fields of the input, and others of the present one or generated ones. Matches and
 * dispositions with the id of a present one keep its other fields.
 */
function screeningOf(random: Random, person: PersonSummary, input: MockScreeningInput, present?: Screening): Screening {
  const { subject = {}, query = {}, openMatches, previouslyCleared, readOnlyReason } = input;
  const { openMatches: before = [], previouslyCleared: cleared = [] } = present ?? {};
  const matches = openMatches && merged('matchId', openMatches, before, () => screeningMatch(person, random));
  return {
    subject: {
      ...(present?.subject ?? screeningSubject(person, random)),
      ...(matches !== undefined && consequencesOf(matches)),
      ...omitUndefined(subject),
    },
    query: { ...(present?.query ?? screeningQuery(person, random)), ...omitUndefined(query) },
    openMatches: matches ?? before,
    previouslyCleared:
      previouslyCleared === undefined
        ? cleared
        : merged('id', previouslyCleared, cleared, () => screeningDisposition(person, random)),
    readOnlyReason: readOnlyReason === undefined ? (present?.readOnlyReason ?? null) : readOnlyReason,
  };
}

/** Returns the inputs of runs, newest first: for a number, new ones before the present ones, or the newest of these. */
function runInputs(
  runs: NonNullable<MockPersonInput['runs']>,
  present: readonly ScreeningRun[],
): readonly PartialInput<ScreeningRun>[] {
  if (typeof runs !== 'number') return runs;
  const added = Array.from({ length: Math.max(0, runs - present.length) }, () => ({}));
  return [...added, ...present].slice(0, runs);
}

/**
 * Returns runs with the fields of the inputs, newest first. Those with the id of a present one keep its other fields.
 */
function runsOf(
  random: Random,
  screening: Screening,
  inputs: readonly PartialInput<ScreeningRun>[],
  present: readonly ScreeningRun[],
  timeOf: (index: number) => string,
): ScreeningRun[] {
  return merged('screeningId', inputs, present, ({ createdAt: given }, index) => {
    const createdAt = given ?? timeOf(index);
    return screeningRun(random, createdAt, matchesAt(createdAt, screening));
  });
}

/** Stores runs, passed newest first, so that the first of several runs with the same time is the newest. */
function insertRuns({ runs }: OrganizationState, personId: string, history: readonly ScreeningRun[]): void {
  for (const record of history.toReversed())
    runs.insert(record.screeningId, Date.parse(record.createdAt), { personId, record });
}

/** Returns a person's screening result in wire format, with the number of runs. */
export function toWireScreening(organization: OrganizationState, stored: StoredPerson): PersonScreening {
  return { ...stored.screening, historyCount: runsOfPerson(organization, stored.id).length };
}

function toView(organization: OrganizationState, stored: StoredPerson): MockPerson {
  const { id, customerId } = stored;
  return { id, customerId, screening: toWireScreening(organization, stored), runs: runsOfPerson(organization, id) };
}

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
      release: removeRuns,
    }),
    clearMatch: (id, matchId, disposition) => {
      const changed = clearMatch(organization, id, matchId, disposition);
      organization.persons.update(id, () => changed);
      return deepFreeze(toView(organization, changed));
    },
  };
}

/** Returns what matches and dispositions of a person contain. */
function summaryOf(
  organization: OrganizationState,
  person: Pick<PersonSummary, 'id' | 'customerId' | 'name' | 'at' | 'firstRun'>,
  random: Random,
): PersonSummary {
  const customer = organization.customers.get(person.customerId)?.record;
  return {
    ...person,
    customerName: customer?.companyName ?? '',
    countryCode: customer?.countryOfIncorporation.alpha2 ?? 'US',
    reviewer: staffMember(organization, 'reviewer', random),
  };
}

/** Returns what new matches and dispositions of a stored person contain. */
function summaryNow(organization: OrganizationState, { id, customerId, screening }: StoredPerson): PersonSummary {
  const [first = '', ...rest] = screening.subject.displayName.split(' ');
  const at = timestampNow(organization);
  const person = { id, customerId, name: { first, last: rest.join(' ') }, at, firstRun: at };
  return summaryOf(organization, person, organization.random(`persons/${id}/reviewer`, 1));
}

/** Returns the consequences of open matches. */
function consequencesOf(
  matches: readonly ScreeningMatch[],
): Pick<ScreeningSubject, 'openMatchCount' | 'paymentHold' | 'onboardingBlocked'> {
  const onboardingBlocked = matches.some(({ isMatch }) => isMatch);
  return { paymentHold: matches.length > 0, onboardingBlocked, openMatchCount: matches.length };
}

/** Returns a person with other fields, and replaces its runs if the input has some. */
function changePerson(organization: OrganizationState, before: StoredPerson, input: MockPersonInput): StoredPerson {
  const { id, customerId } = before;
  const { screening: given = {}, runs } = input;
  const random = organization.random(`persons/${id}/changes/${idsOf(before.screening)}`, 0);
  const screening = screeningOf(random, summaryNow(organization, before), given, before.screening);
  if (runs === undefined) return { id, customerId, screening };
  const present = runsOfPerson(organization, id);
  const now = timestampNow(organization);
  const randomOfRuns = organization.random(`persons/${id}/runs`, organization.runs.next);
  const history = runsOf(randomOfRuns, screening, runInputs(runs, present), present, () => now);
  replaceRuns(organization, id, history);
  return { id, customerId, screening: screenedAt(screening, runsOfPerson(organization, id)[0]?.createdAt) };
}

function replaceRuns(organization: OrganizationState, personId: string, history: readonly ScreeningRun[]): void {
  const rollBack = organization.runs.savepoint();
  try {
    removeRuns(organization, personId);
    insertRuns(organization, personId, history);
  } catch (error) {
    rollBack();
    throw error;
  }
}

/** Returns a screening result after a run at a time, if that is later than the last one. */
function screenedAt(screening: Screening, at: string | undefined): Screening {
  const { subject, query } = screening;
  if (at === undefined || Date.parse(at) <= Date.parse(subject.lastScreenedAt)) return screening;
  return {
    ...screening,
    subject: { ...subject, lastScreenedAt: at, nextDueAt: secondsAfter(at, 30 * secondsPerDay) },
    query: { ...query, dataVersion: dataVersion(at) },
  };
}

/** Returns the ids of all matches, from which the next ids are drawn: those drawn from their number would repeat. */
function idsOf({ openMatches, previouslyCleared }: Screening): string {
  return [...openMatches.map(({ matchId }) => matchId), ...previouslyCleared.map(({ id }) => id)].join();
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
  const random = organization.random(`persons/${id}/cleared/${idsOf(before.screening)}`, 0);
  const disposition = {
    ...screeningDisposition(summaryNow(organization, before), random),
    osEntityId: cleared.osEntityId,
    topicsAtDecision: cleared.topics,
    ...omitUndefined(input),
  };
  return changePerson(organization, before, {
    screening: {
      openMatches: openMatches.filter((match) => match !== cleared),
      previouslyCleared: [disposition, ...previouslyCleared],
    },
  });
}

/** Returns the number of matches that a run at a time found: those that are open, and those that were cleared later. */
function matchesAt(time: string, { openMatches, previouslyCleared }: Screening): number {
  const at = Date.parse(time);
  const open = openMatches.filter(({ createdAt }) => Date.parse(createdAt) <= at);
  const cleared = previouslyCleared.filter(({ reviewedAt }) => Date.parse(reviewedAt) >= at);
  return open.length + cleared.length;
}

/** Returns a person's runs, newest first. */
function runsOfPerson(organization: OrganizationState, personId: string): ScreeningRun[] {
  const runs = organization.runs.values().filter((run) => run.personId === personId);
  return runs.map((run) => run.record).toReversed();
}

/** Removes the runs of a person. */
function removeRuns({ runs }: OrganizationState, personId: string): void {
  runs.deleteWhere((run) => run.personId === personId);
}

const secondsPerDay = 86_400;
/** Returns the version of the lists that a run uses: its day. */
const dataVersion = (timestamp: string): string => timestamp.slice(0, 10).replaceAll('-', '');

/** The data of a person that the screening uses. */
interface PersonSummary {
  readonly id: string;
  readonly name: PersonName;
  readonly customerId: string;
  readonly customerName: string;
  readonly countryCode: string;
  /** The time of the last screening. */
  readonly at: string;
  /** The time of the first screening. */
  readonly firstRun: string;
  /** Who cleared matches. */
  readonly reviewer: StaffMember;
}

/** Creates the query of a screening. */
function screeningQuery({ name, countryCode, at }: PersonSummary, random: Random): ScreeningQuery {
  return {
    properties: [
      { label: 'Name', key: 'name', values: [`${name.first} ${name.last}`] },
      {
        label: 'Date of birth',
        key: 'birthDate',
        values: [`${random.int(1955, 1999)}-0${random.int(1, 9)}-1${random.int(0, 9)}`],
      },
      { label: 'Country', key: 'country', values: [countryCode.toLowerCase()] },
    ],
    algorithm: 'logic-v1',
    threshold: '0.70',
    topicsScope: ['sanction', 'role.pep', 'crime'],
    datasetScope: 'default',
    dataVersion: dataVersion(at),
  };
}

/** Creates an open match. */
function screeningMatch({ name, countryCode, at }: PersonSummary, random: Random): ScreeningMatch {
  const candidate = `${personName(random).first} ${name.last}`;
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
    aliases: [candidate, `${name.last}, ${candidate.split(' ')[0]}`],
    features: [
      {
        key: 'name_match',
        label: 'Name',
        score,
        matchedValue: `${name.first} ${name.last}`,
        candidateValue: candidate,
        note: 'Last names are equal',
      },
      {
        key: 'country_match',
        label: 'Country',
        score: '1.00',
        matchedValue: countryCode,
        candidateValue: countryCode,
        note: '',
      },
    ],
    evidence: [
      { label: 'Position', values: ['Member of a provincial assembly'], fullWidth: false },
      { label: 'Summary', values: [`${candidate} held office from 2008 to 2014.`], fullWidth: true },
    ],
    disposition: null,
    createdAt: at,
  };
}

/** Creates the disposition of a match that the first run found and a reviewer cleared within a day. */
function screeningDisposition({ at, firstRun, reviewer }: PersonSummary, random: Random): ScreeningDisposition {
  const nextDay = secondsAfter(firstRun, secondsPerDay);
  return {
    id: random.id('dis_'),
    osEntityId: `Q${random.digits(7)}`,
    reason: 'Date of birth differs',
    reviewedByUserId: reviewer.id,
    reviewedByDisplayName: `${reviewer.first} ${reviewer.last}`,
    reviewedAt: Date.parse(nextDay) < Date.parse(at) ? nextDay : at,
    topicsAtDecision: ['role.pep'],
  };
}

/** Creates a screening run. */
function screeningRun(random: Random, createdAt: string, matchCount: number): ScreeningRun {
  return {
    screeningId: random.id('scr_'),
    matchCount,
    dataVersion: dataVersion(createdAt),
    createdAt,
    errorMessage: '',
  };
}

/** Creates the subject of a screening without open matches. */
function screeningSubject({ id, name, customerId, customerName, at }: PersonSummary, random: Random): ScreeningSubject {
  return {
    subjectId: random.id('sub_'),
    entityId: id,
    displayName: `${name.first} ${name.last}`,
    customerId,
    customerName,
    beneficiaryId: '',
    ...consequencesOf([]),
    lastScreenedAt: at,
    nextDueAt: secondsAfter(at, 30 * secondsPerDay),
  };
}
