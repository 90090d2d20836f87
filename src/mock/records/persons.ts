import { requestId, string, memoize, strictObject } from '../../contract/schema/schema.js';
import {
  personScreening,
  screeningRun as screeningRunSchema,
  type PersonScreening,
  type ScreeningDisposition,
  type ScreeningRun,
} from '../../contract/schema/screening.js';
import { requireValid } from '../require-valid.js';
import { personName } from '../data/names.js';
import type { Random } from '../data/random.js';
import type { OrganizationState } from '../store/organization.js';
import { copyOf, deepFreeze } from '../frozen.js';
import type { StoredPerson } from '../store/records.js';
import { personParts, requireNoCount, type MockPersonInput } from './person-input.js';
import { changePerson, clearMatch } from './person-changes.js';
import { matchesAt, removeRuns, replaceRuns, runsOfPerson } from './screening-runs.js';
import { resolveCustomerId } from './customers.js';
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
} from './builder.js';
import {
  screeningDisposition,
  screeningMatch,
  screeningQuery,
  screeningRun,
  screeningSubject,
  secondsPerDay,
  type PersonSummary,
} from './screening-parts.js';
import { staffMember } from './staff.js';

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

const call = 'persons.add';

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
  requireValid(call, personParts, input, 'the record');
  const head = { id: `per_${random.alphanumeric(16)}`, customerId: '', ...omitUndefined(rest) };
  requireConforming(call, personHead, head);
  const { subject, query, openMatches = [{}], previouslyCleared = [{}], readOnlyReason = null, ...unknown } = screening;
  requireNoCount(call, unknown);
  const customerId = resolveCustomerId(organization, call, input.customerId, at);
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
  requireConforming(`${call}: screening`, personScreening, { ...result, historyCount: 0 });
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
    organization.runs.insert(run.screeningId, requireTime(call, run.createdAt), { personId: stored.id, record: run });
  return stored;
}

type RunsInput = Exclude<MockPersonInput['runs'], undefined>;

/** Returns the times of the runs, newest first: a month apart, unless the input sets them. */
function timesOfRuns(at: string, input: RunsInput): string[] {
  const inputs: readonly PartialInput<ScreeningRun>[] =
    typeof input === 'number' ? Array.from({ length: input }, () => ({})) : input;
  return inputs.map(({ createdAt }, index) => {
    const time = createdAt ?? secondsAfter(at, -30 * secondsPerDay * index);
    requireTime(call, time);
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
      requireConforming(`${call}: runs`, screeningRunSchema, run);
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
