import {
  screeningRun as screeningRunSchema,
  type PersonScreening,
  type ScreeningRun,
} from '../../contract/schema/screening.js';
import type { OrganizationState } from '../store/organization.js';
import { omitUndefined, requireConforming, requireTime, secondsAfter, timestampNow } from './builder.js';
import type { MockPersonInput } from './person-input.js';
import { dataVersion, screeningRun, secondsPerDay } from './screening-parts.js';

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
