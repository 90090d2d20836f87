import {
  screeningRun as screeningRunSchema,
  type PersonScreening,
  type ScreeningRun,
  type ScreeningDisposition,
  type ScreeningMatch,
  type ScreeningQuery,
  type ScreeningSubject,
} from '../../contract/schema/screening.js';
import type { OrganizationState } from '../state/platform.js';
import {
  omitUndefined,
  requireConforming,
  requireTime,
  secondsAfter,
  timestampNow,
  type PartialInput,
} from './builder.js';
import type { MockPersonInput } from './person-input.js';
import { personName, type PersonName } from '../data/names.js';
import type { Random } from '../data/random.js';
import type { StaffMember } from './customers.js';

/** Returns the number of matches that a run at a time found: those that are open, and those that were cleared later. */
export function matchesAt(
  time: string,
  { openMatches, previouslyCleared }: Pick<PersonScreening, 'openMatches' | 'previouslyCleared'>,
): number {
  const at = Date.parse(time);
  const open = openMatches.filter(({ createdAt }) => Date.parse(createdAt) <= at);
  const cleared = previouslyCleared.filter(({ reviewedAt }) => Date.parse(reviewedAt) >= at);
  return open.length + cleared.length;
}

/** Returns a person's runs, newest first. */
export function runsOfPerson(organization: OrganizationState, personId: string): ScreeningRun[] {
  const runs = organization.runs.values().filter((run) => run.personId === personId);
  return runs.map((run) => run.record).toReversed();
}

/** Removes the runs of a person. */
export function removeRuns({ runs }: OrganizationState, personId: string): void {
  for (const { id, value } of runs.rows().slice()) if (value.personId === personId) runs.delete(id);
}

/** Replaces the runs of a person, newest first. New ones are at the time of the mock's clock, unless the input sets it. */
export function replaceRuns(
  organization: OrganizationState,
  personId: string,
  input: NonNullable<MockPersonInput['runs']>,
): void {
  const call = 'persons.update: runs';
  const person = organization.persons.get(personId);
  if (person === undefined) return;
  const present = runsOfPerson(organization, personId);
  const random = organization.random(`persons/${personId}/runs`, organization.runs.next);
  const inputs = typeof input === 'number' ? runsInNumber(present, input) : input;
  const changed = inputs.map((fields) => {
    const before = present.find(({ screeningId }) => screeningId === fields.screeningId);
    const createdAt = fields.createdAt ?? before?.createdAt ?? timestampNow(organization);
    requireTime(call, createdAt);
    const count = matchesAt(createdAt, person.screening);
    const run = screeningRun(random, createdAt, count, { ...before, ...omitUndefined(fields) });
    requireConforming(call, screeningRunSchema, run);
    return run;
  });
  removeRuns(organization, personId);
  for (const record of changed.toReversed())
    organization.runs.insert(record.screeningId, requireTime(call, record.createdAt), { personId, record });
  const [latest] = runsOfPerson(organization, personId);
  const { subject, query } = person.screening;
  if (latest === undefined || Date.parse(latest.createdAt) <= Date.parse(subject.lastScreenedAt)) return;
  const { createdAt } = latest;
  const screened = { lastScreenedAt: createdAt, nextDueAt: secondsAfter(createdAt, 30 * secondsPerDay) };
  organization.persons.update(personId, (stored) => ({
    ...stored,
    screening: {
      ...stored.screening,
      subject: { ...subject, ...screened },
      query: { ...query, dataVersion: dataVersion(createdAt) },
    },
  }));
}

/** Returns the newest of the present runs, or new runs and the present ones. */
function runsInNumber(present: readonly ScreeningRun[], count: number): readonly Partial<ScreeningRun>[] {
  return count <= present.length
    ? present.slice(0, count)
    : [...Array.from({ length: count - present.length }, () => ({})), ...present];
}

export const secondsPerDay = 86_400;
/** Returns the version of the lists that a run uses: its day. */
const dataVersion = (timestamp: string): string => timestamp.slice(0, 10).replaceAll('-', '');

/** The data of a person that the screening uses. */
export interface PersonSummary {
  readonly id: string;
  readonly name: PersonName;
  readonly countryCode: string;
  /** The time of the last screening. */
  readonly at: string;
  /** The time of the first screening. */
  readonly firstRun: string;
  /** Who cleared matches. */
  readonly reviewer: StaffMember;
}

/** Creates the query of a screening. */
export function screeningQuery(
  { name, countryCode, at }: PersonSummary,
  random: Random,
  input: PartialInput<ScreeningQuery> = {},
): ScreeningQuery {
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
    ...omitUndefined(input),
  };
}

/** Creates an open match. */
export function screeningMatch(
  { name, countryCode, at }: PersonSummary,
  random: Random,
  input: PartialInput<ScreeningMatch> = {},
): ScreeningMatch {
  const candidate = `${personName(random).first} ${name.last}`;
  const score = `0.${random.int(70, 89)}`;
  return {
    matchId: `mat_${random.alphanumeric(16)}`,
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
    ...omitUndefined(input),
  };
}

/** Creates the disposition of a match that the first run found and a reviewer cleared within a day. */
export function screeningDisposition(
  { at, firstRun, reviewer }: PersonSummary,
  random: Random,
  input: PartialInput<ScreeningDisposition> = {},
): ScreeningDisposition {
  const nextDay = secondsAfter(firstRun, secondsPerDay);
  return {
    id: `dis_${random.alphanumeric(16)}`,
    osEntityId: `Q${random.digits(7)}`,
    reason: 'Date of birth differs',
    reviewedByUserId: reviewer.id,
    reviewedByDisplayName: `${reviewer.first} ${reviewer.last}`,
    reviewedAt: Date.parse(nextDay) < Date.parse(at) ? nextDay : at,
    topicsAtDecision: ['role.pep'],
    ...omitUndefined(input),
  };
}

/** Creates a screening run. */
export function screeningRun(
  random: Random,
  createdAt: string,
  matchCount: number,
  input: PartialInput<ScreeningRun> = {},
): ScreeningRun {
  return {
    screeningId: `scr_${random.alphanumeric(16)}`,
    matchCount,
    dataVersion: dataVersion(createdAt),
    createdAt,
    errorMessage: '',
    ...omitUndefined(input),
  };
}

/** Creates the subject of a screening, with the consequences of the matches. */
export function screeningSubject(
  { id, name, at }: PersonSummary,
  random: Random,
  matches: readonly ScreeningMatch[],
  input: PartialInput<ScreeningSubject> = {},
): ScreeningSubject {
  return {
    subjectId: `sub_${random.alphanumeric(16)}`,
    entityId: id,
    displayName: `${name.first} ${name.last}`,
    customerId: '',
    customerName: '',
    beneficiaryId: '',
    paymentHold: matches.length > 0,
    onboardingBlocked: matches.some(({ isMatch }) => isMatch),
    openMatchCount: matches.length,
    lastScreenedAt: at,
    nextDueAt: secondsAfter(at, 30 * secondsPerDay),
    ...omitUndefined(input),
  };
}
