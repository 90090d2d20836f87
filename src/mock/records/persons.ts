import { requestId, string, memoize, strictObject } from '../../contract/schema/schema.js';
import {
  personScreening,
  screeningRun as screeningRunSchema,
  type PersonScreening,
  type ScreeningDisposition,
  type ScreeningRun,
  type ScreeningMatch,
  type ScreeningSubject,
} from '../../contract/schema/screening.js';
import { requireValid, MockPlatformError } from '../base/error.js';
import { personName } from '../data/names.js';
import type { Random } from '../data/random.js';
import type { OrganizationState } from '../state/platform.js';
import { copyOf, deepFreeze } from '../base/freeze.js';
import type { StoredPerson } from '../state/records.js';
import { personParts, requireNoCount, type MockPersonInput } from './person-input.js';
import {
  matchesAt,
  removeRuns,
  replaceRuns,
  runsOfPerson,
  screeningDisposition,
  screeningMatch,
  screeningQuery,
  screeningRun,
  screeningSubject,
  secondsPerDay,
  type PersonSummary,
} from './screening.js';
import { resolveCustomerId, staffMember } from './customers.js';
import {
  omitUndefined,
  recordsOf,
  requireConforming,
  requireTime,
  secondsAfter,
  timestampNow,
  withDueEvents,
  type MockRecords,
  type PartialInput,
  unknownRecord,
} from './builder.js';

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
  const { screening = {}, runs = 3, ...rest } = input;
  requireValid('persons.add', personParts, input, 'the record');
  const head = { id: `per_${random.alphanumeric(16)}`, customerId: '', ...omitUndefined(rest) };
  requireConforming('persons.add', personHead, head);
  const { subject, query, openMatches = [{}], previouslyCleared = [{}], readOnlyReason = null, ...unknown } = screening;
  requireNoCount('persons.add', unknown);
  const customerId = resolveCustomerId(organization, 'persons.add', input.customerId, at);
  const customer = organization.customers.get(customerId)?.record;
  const times = timesOfRuns(at, runs);
  const person: PersonSummary = {
    id: head.id,
    name: personName(random),
    countryCode: customer?.countryOfIncorporation.alpha2 ?? 'US',
    at,
    firstRun: times.at(-1) ?? at,
    reviewer: staffMember(organization, 'reviewer', random),
  };
  const matches = openMatches.map((match) => screeningMatch(person, random, match));
  const result = {
    subject: screeningSubject(person, random, matches, subject),
    query: screeningQuery(person, random, query),
    openMatches: matches,
    previouslyCleared: previouslyCleared.map((disposition) => screeningDisposition(person, random, disposition)),
    readOnlyReason,
    ...unknown,
  };
  requireConforming(`persons.add: screening`, personScreening, { ...result, historyCount: 0 });
  const history = runsOf(random, result, runs, times);
  const customerName = customer?.companyName ?? '';
  const owned = { customerId, customerName, ...omitUndefined(subject ?? {}) };
  const stored: StoredPerson = {
    id: head.id,
    customerId,
    screening: { ...result, subject: { ...result.subject, ...owned } },
  };
  organization.persons.insert(stored.id, Date.parse(person.at), stored);
  for (const run of history)
    organization.runs.insert(run.screeningId, requireTime('persons.add', run.createdAt), {
      personId: stored.id,
      record: run,
    });
  return stored;
}

type RunsInput = Exclude<MockPersonInput['runs'], undefined>;

/** Returns the times of the runs, newest first: a month apart, unless the input sets them. */
function timesOfRuns(at: string, input: RunsInput): string[] {
  const inputs: readonly PartialInput<ScreeningRun>[] =
    typeof input === 'number' ? Array.from({ length: input }, () => ({})) : input;
  return inputs.map(({ createdAt }, index) => {
    const time = createdAt ?? secondsAfter(at, -30 * secondsPerDay * index);
    requireTime('persons.add', time);
    return time;
  });
}

// Returns the oldest first, so that the first of several runs with the same time is the newest.
function runsOf(
  random: Random,
  screening: Pick<PersonScreening, 'openMatches' | 'previouslyCleared'>,
  input: RunsInput,
  times: readonly string[],
): ScreeningRun[] {
  return times
    .map((createdAt, index) => {
      const run = screeningRun(random, createdAt, matchesAt(createdAt, screening), {
        ...(typeof input === 'number' ? {} : input[index]),
      });
      requireConforming(`persons.add: runs`, screeningRunSchema, run);
      return run;
    })
    .toReversed();
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
 * const held = platform.persons.add({ customerId: customer.id, screening: { openMatches: [{ isMatch: true, score: '0.97' }] }, runs: 12 });
 * ```
 */
export interface MockPersons extends MockRecords<MockPerson, MockPersonInput> {
  /**
   * Replaces fields of a person. `openMatches`, `previouslyCleared` and `runs` replace the present ones; an element with
   * the id of a present one keeps its other fields. A larger number of `runs` adds runs at the time of the mock's clock.
   * Throws `MockPlatformError` if the id does not exist or a field is invalid; then nothing is changed.
   */
  update(id: string, partial: MockPersonInput): MockPerson;
  /**
   * Clears an open match of a person, as a reviewer of the platform does: moves it to `previouslyCleared`, and lifts the
   * hold with the last one. Throws `MockPlatformError` if the person or the match does not exist.
   */
  clearMatch(
    id: string,
    matchId: string,
    disposition?: { readonly [Field in keyof ScreeningDisposition]?: ScreeningDisposition[Field] | undefined },
  ): MockPerson;
}

/** Creates the public interface of the persons. */
export function personRecords(organization: OrganizationState): MockPersons {
  const records = recordsOf(organization, {
    name: 'persons',
    create: createPerson,
    collection: ({ persons }) => persons,
    filters: () => ({ customerId: string() }),
    toView,
    change: changePerson,
    release: removeRuns,
  });
  return {
    ...records,
    update: (id, partial) => {
      const { runs } = Object(partial) as MockPersonInput;
      if (runs === undefined) return records.update(id, partial);
      const rollBack = withDueEvents(organization).savepoint();
      try {
        const changed = records.update(id, partial);
        replaceRuns(organization, id, copyOf(runs));
        return records.get(id) ?? changed;
      } catch (error) {
        rollBack();
        throw error;
      }
    },
    clearMatch: (id, matchId, disposition) => {
      const changed = clearMatch(withDueEvents(organization), id, matchId, disposition);
      organization.persons.update(id, () => changed);
      return deepFreeze(toView(organization, changed));
    },
  };
}

/** Returns what new matches and dispositions of a person contain. */
function summaryOf(organization: OrganizationState, { id, customerId, screening }: StoredPerson): PersonSummary {
  const [first = '', ...rest] = screening.subject.displayName.split(' ');
  const at = timestampNow(organization);
  return {
    id,
    name: { first, last: rest.join(' ') },
    countryCode: organization.customers.get(customerId)?.record.countryOfIncorporation.alpha2 ?? 'US',
    at,
    firstRun: at,
    reviewer: staffMember(organization, 'reviewer', organization.random(`persons/${id}/reviewer`, 1)),
  };
}

/** Returns the consequences of open matches. */
function consequencesOf(
  matches: readonly ScreeningMatch[],
): Pick<ScreeningSubject, 'openMatchCount' | 'paymentHold' | 'onboardingBlocked'> {
  return {
    openMatchCount: matches.length,
    paymentHold: matches.length > 0,
    onboardingBlocked: matches.some(({ isMatch }) => isMatch),
  };
}

/** Returns a person with other fields. Matches and dispositions with the id of a present one keep its other fields. */
function changePerson(organization: OrganizationState, before: StoredPerson, input: MockPersonInput): StoredPerson {
  const call = 'persons.update';
  requireValid(call, personParts, input, 'the record');
  const { customerId = before.customerId, screening = {}, runs: _, ...unknown } = input;
  const [unknownField] = Object.keys(unknown);
  if (unknownField !== undefined)
    throw new MockPlatformError(`${call}: ${unknownField} is not a known field. Remove it.`);
  if (organization.customers.get(customerId) === undefined) unknownRecord(call, 'customerId', customerId);
  const { subject, query, openMatches, previouslyCleared, ...rest } = screening;
  requireNoCount(call, rest);
  const { screening: present } = before;
  const summary = summaryOf(organization, before);
  const random = organization.random(`persons/${before.id}/changes/${idsOf(present)}`, 0);
  const matches = openMatches?.map((match) => ({
    ...(present.openMatches.find(({ matchId }) => matchId === match.matchId) ?? screeningMatch(summary, random)),
    ...omitUndefined(match),
  }));
  const cleared = previouslyCleared?.map((disposition) => ({
    ...(present.previouslyCleared.find(({ id }) => id === disposition.id) ?? screeningDisposition(summary, random)),
    ...omitUndefined(disposition),
  }));
  const customerName = organization.customers.get(customerId)?.record.companyName ?? '';
  const changed = {
    ...present,
    ...omitUndefined(rest),
    subject: {
      ...present.subject,
      customerId,
      customerName,
      ...(matches !== undefined && consequencesOf(matches)),
      ...omitUndefined(subject ?? {}),
    },
    query: { ...present.query, ...omitUndefined(query ?? {}) },
    openMatches: matches ?? present.openMatches,
    previouslyCleared: cleared ?? present.previouslyCleared,
  };
  requireConforming(`${call}: screening`, personScreening, { ...changed, historyCount: 0 });
  return { id: before.id, customerId, screening: changed };
}

/** Returns the ids of all matches, from which the next ids are drawn: those drawn from their number would repeat. */
function idsOf({ openMatches, previouslyCleared }: StoredPerson['screening']): string {
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
  const before = organization.persons.get(id) ?? unknownRecord(call, 'id', id);
  const { openMatches, previouslyCleared } = before.screening;
  const cleared = openMatches.find((match) => match.matchId === matchId);
  if (cleared === undefined)
    throw new MockPlatformError(
      `${call}: ${JSON.stringify(matchId)} is not an open match of ${id} (open: ${openMatches.map((match) => match.matchId).join(', ') || 'none'}). Pass the matchId of an open match.`,
    );
  const random = organization.random(`persons/${id}/cleared/${idsOf(before.screening)}`, 0);
  const disposition = {
    ...screeningDisposition(summaryOf(organization, before), random),
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
