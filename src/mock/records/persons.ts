import { requestId, text } from '../../contract/field.js';
import { lazily, record } from '../../contract/schema.js';
import {
  personScreening, screeningRun as screeningRunSchema, type PersonScreening, type ScreeningDisposition, type ScreeningMatch, type ScreeningQuery,
  type ScreeningRun, type ScreeningSubject,
} from '../../contract/screening.js';
import { MockPlatformError } from '../error.js';
import { personName } from '../names.js';
import type { OrganizationState } from '../state.js';
import type { StoredPerson } from '../stored.js';
import { ownerOf } from './customers.js';
import { given, recordsOf, requireConforming, requireLists, requireObjects, timeOf, timestampNow, type MockRecords, type Partially } from './input.js';
import { screeningDisposition, screeningMatch, screeningQuery, screeningRun, screeningSubject, type PersonOutline } from './screening-parts.js';

/** A person of a customer. */
export interface MockPerson {
  /** The person's id. */
  readonly id: string;
  /** The customer the person belongs to. */
  readonly customerId: string;
  /** What `screening.get` gives. */
  readonly screening: PersonScreening;
  /** What `screening.history` gives, newest first. */
  readonly runs: readonly ScreeningRun[];
}

/** The parts of a screening result that `persons.add` takes. */
export interface MockScreeningInput {
  /** Fields of the subject that are to differ from what is made. */
  readonly subject?: Partially<ScreeningSubject> | undefined;
  /** Fields of the query that are to differ from what is made. */
  readonly query?: Partially<ScreeningQuery> | undefined;
  /** @default one match of a politically exposed namesake */
  readonly openMatches?: readonly Partially<ScreeningMatch>[] | undefined;
  /** @default one */
  readonly previouslyCleared?: readonly Partially<ScreeningDisposition>[] | undefined;
  /** @default null */
  readonly readOnlyReason?: string | null | undefined;
}

/** What `persons.add` takes. */
export interface MockPersonInput {
  /** The person's id. @default one that is made */
  readonly id?: string | undefined;
  /** The customer the person belongs to. @default one that is made */
  readonly customerId?: string | undefined;
  /** Parts of the screening result that are to differ from what is made. */
  readonly screening?: MockScreeningInput | undefined;
  /** The runs of the screening, or how many there were. @default 3 */
  readonly runs?: number | readonly Partially<ScreeningRun>[] | undefined;
}

const call = 'persons.add';

const personHead = lazily(() => record<Pick<StoredPerson, 'id' | 'customerId'>>({ id: requestId(), customerId: text() }));

/** Makes a person, and its customer where none is named, and puts them into the state. */
export function createPerson(organization: OrganizationState, input: MockPersonInput = {}): StoredPerson {
  const random = organization.random('persons', organization.persons.next);
  const { screening = {}, runs = 3, ...rest } = input;
  requireObjects(call, { screening });
  const head = { id: `per_${random.letters(16)}`, customerId: '', ...given(rest) };
  requireConforming(call, personHead, head);
  const { subject, query, openMatches = [{}], previouslyCleared = [{}], readOnlyReason = null, ...unknown } = screening;
  requireObjects(`${call}: screening`, { subject, query });
  requireLists(`${call}: screening`, { openMatches, previouslyCleared });
  if ('historyCount' in unknown) throw new MockPlatformError(`${call}: screening: historyCount follows from runs`);
  const outline: PersonOutline = { id: head.id, name: personName(random), countryCode: 'US', at: timestampNow(organization) };
  const matches = openMatches.map((match) => screeningMatch(outline, random, match));
  const result = {
    subject: screeningSubject(outline, random, matches, subject),
    query: screeningQuery(outline, random, query),
    openMatches: matches,
    previouslyCleared: previouslyCleared.map((disposition) => screeningDisposition(outline, random, disposition)),
    readOnlyReason,
    ...unknown,
  };
  requireConforming(`${call}: screening`, personScreening, { ...result, historyCount: 0 });
  const history = runsOf(outline, random, matches.length, runs);
  const customerId = ownerOf(organization, call, input.customerId, outline.at);
  const customerName = organization.customers.get(customerId)?.record.companyName ?? '';
  const owned = { customerId, customerName, ...given(subject ?? {}) };
  const stored: StoredPerson = { id: head.id, customerId, screening: { ...result, subject: { ...result.subject, ...owned } } };
  organization.persons.insert(stored.id, Date.parse(outline.at), stored);
  for (const run of history) organization.runs.insert(run.screeningId, timeOf(call, run.createdAt), { personId: stored.id, record: run });
  return stored;
}

/** Each is a month older than the one before: many more, and they would be older than the years. */
const mostRuns = 10_000;

// Oldest first, so that of runs at the same time the one named first is the newest.
function runsOf(outline: PersonOutline, random: ReturnType<OrganizationState['random']>, matchCount: number, input: number | readonly Partially<ScreeningRun>[]): ScreeningRun[] {
  if (typeof input === 'number' && (!Number.isInteger(input) || input < 0 || input > mostRuns)) throw new MockPlatformError(`${call}: runs must be a whole number from 0 to ${mostRuns}, or a list`);
  if (typeof input !== 'number') requireLists(call, { runs: input });
  const inputs = typeof input === 'number' ? Array.from({ length: input }, () => ({})) : input;
  return inputs
    .map((partial, index) => {
      const run = screeningRun(outline, random, index, matchCount, partial);
      requireConforming(`${call}: runs`, screeningRunSchema, run);
      timeOf(call, run.createdAt);
      return run;
    })
    .toReversed();
}

/** A person's runs, newest first. */
function runsOfPerson(organization: OrganizationState, personId: string): ScreeningRun[] {
  const own = organization.runs.values().filter((run) => run.personId === personId);
  return own.map((run) => run.record).toReversed();
}

/** A person's screening result with the count of its runs. */
export function shownScreening(organization: OrganizationState, stored: StoredPerson): PersonScreening {
  return { ...stored.screening, historyCount: runsOfPerson(organization, stored.id).length };
}

function shown(organization: OrganizationState, stored: StoredPerson): MockPerson {
  const { id, customerId } = stored;
  return { id, customerId, screening: shownScreening(organization, stored), runs: runsOfPerson(organization, id) };
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
export interface MockPersons extends MockRecords<MockPerson, MockPersonInput> {}

/** The persons of an organization's customers. */
export function personRecords(organization: OrganizationState): MockPersons {
  return recordsOf(organization, { call, create: createPerson, collection: ({ persons }) => persons, show: shown });
}
