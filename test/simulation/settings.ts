import { CorridorError } from 'corridor-sdk';
import { RandomSource } from '../support/random-source.ts';

/** What the partner's processes do. */
export const activities = ['pay', 'follow', 'export', 'list'] as const;

/** One of the activities. */
export type Activity = (typeof activities)[number];

/** How the platform writes timestamps. */
export type TimestampFormat = 'milliseconds' | 'microseconds' | 'seconds' | 'offset' | 'database' | 'no zone';

/** The settings of a simulation. Times are in milliseconds, rates are probabilities. */
export interface Settings {
  readonly activities: readonly Activity[];

  /** How far the clock that writes `createdAt` is ahead of the true time. */
  readonly databaseSkew: number;
  /** How far the `Date` header is ahead of that clock. */
  readonly dateSkew: number;
  /** Whether responses have a `Date` header; `cached` responses also have an `Age`, and an old date. */
  readonly date: 'present' | 'absent' | 'cached';
  /** The rate of responses with a `Date` hours ahead. */
  readonly wrongDates: number;
  /** How far the clock of a process can be off. */
  readonly machineSkew: number;
  /** Whether the clock of a process is set while it runs. */
  readonly clockJumps: boolean;

  readonly sort: 'createdAt' | 'updatedAt' | 'id';
  readonly direction: 'descending' | 'ascending';
  /** Whether a cursor is the number of rows read, or the position of the last row read. */
  readonly cursors: 'offset' | 'keyset';
  readonly pageSize: number;
  /** How long the list may take to show a payment. */
  readonly lag: number;
  /** How old the state in a list response may be. */
  readonly staleness: number;
  /** A filter that the platform ignores. */
  readonly droppedFilter: 'status' | 'createdFrom' | 'createdTo' | undefined;
  /** Whether the time filters include their bounds. */
  readonly bounds: 'inclusive' | 'exclusive';
  /** The rate of pages that report another page without a cursor for it. */
  readonly missingCursors: number;
  /** The rate of rows with a field that is null, absent or a number. */
  readonly oddRows: number;
  readonly timestamps: TimestampFormat;
  /** Whether a quote can be used for one payment or for many. */
  readonly quotes: 'single-use' | 'reusable';
  /** The maximum number of payments at the start. */
  readonly payments: number;
  /** The time between two changes of payments on the platform, on average. */
  readonly changeInterval: number;

  /** The maximum latency of one direction. */
  readonly latency: number;
  /** The rates of requests that fail. */
  readonly createFaults: number;
  readonly readFaults: number;
  /** How long after its connection broke a create may still be committed. */
  readonly lateCommit: number;
  /** The rate of journal calls that fail. */
  readonly journalFaults: number;
  /** How long a call of the journal may wait before it takes effect, and before it returns. */
  readonly journalLatency: number;
  /** The rate of entries of the journal whose intent is lost after a while. */
  readonly damage: number;
  /** The rate of processes that are killed. */
  readonly kills: number;
  /** The rate of requests before which, or after which, a process is paused for up to minutes. */
  readonly pauses: number;
  /** The rate of processes that start with an older copy of what the partner has stored. */
  readonly restores: number;

  /** How many loops follow the payments of the account, each with its own checkpoint. */
  readonly followers: 1 | 2;
  /** Whether the client rejects responses that break the contract. */
  readonly validation: 'standard' | 'observe';
  /** Whether rows have fields that the client does not know. */
  readonly newFields: boolean;
  /** The rate of pages with an item that is no payment. */
  readonly oddItems: number;
  /** The rate of payments whose `createdAt` cannot be read, so that no time filter selects them. */
  readonly unreadableTimes: number;
  /** What lists without an end respond with, for some minutes. */
  readonly endlessLists: 'rows' | 'empty pages' | undefined;
  /** Whether the checkpoints of the partner are used with the key of another organization. */
  readonly intruders: boolean;
  /** Whether the key of the organization is replaced by another one from time to time. */
  readonly rotations: boolean;
  /** Whether the clock of a process is set after responses. */
  readonly lateClockSteps: boolean;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Draws the settings of a seed. Most of them have their plain value, so that few things are odd at the same time. */
export function drawSettings(seed: number): Settings {
  const random = new RandomSource(seed * 7_919);
  const sometimes = <T>(rate: number, odd: readonly T[], plain: T): T => (random.hits(rate) ? random.pick(odd) : plain);
  // Another source, so that what was drawn before stays as it was.
  const more = new RandomSource(seed * 7_919 + 5);
  const seldom = <T>(rate: number, odd: readonly T[], plain: T): T => (more.hits(rate) ? more.pick(odd) : plain);
  const validation = seldom<Settings['validation']>(0.2, ['observe'], 'standard');
  const first = random.pick(activities);
  const oddRows = sometimes(0.12, [0.02, 0.1], 0);
  return {
    activities: activities.filter((activity) => activity === first || random.hits(0.15)),
    databaseSkew: sometimes(0.2, [-2 * minute, 2 * minute, 40 * minute], 0),
    dateSkew: sometimes(0.2, [-8 * second, 3 * second, 8 * second], 0),
    date: sometimes(0.25, ['absent', 'cached'], 'present'),
    wrongDates: sometimes(0.1, [0.02], 0),
    machineSkew: sometimes(0.4, [2 * minute, 20 * minute, 3 * hour], 0),
    clockJumps: random.hits(0.1),
    sort: sometimes(0.35, ['updatedAt', 'updatedAt', 'id'], 'createdAt'),
    direction: sometimes(0.3, ['ascending'], 'descending'),
    cursors: sometimes(0.5, ['keyset'], 'offset'),
    pageSize: random.pick([2, 3, 7, 100]),
    lag: sometimes(0.3, [300, 4 * second], 0),
    staleness: oddRows === 0 ? sometimes(0.2, [2 * second, 8 * second], 0) : 0,
    droppedFilter: sometimes(0.1, ['status', 'createdFrom', 'createdTo'], undefined),
    bounds: sometimes(0.2, ['exclusive'], 'inclusive'),
    missingCursors: sometimes(0.08, [0.05, 1], 0),
    oddRows,
    timestamps: sometimes(0.4, ['microseconds', 'seconds', 'seconds', 'offset', 'database', 'no zone'], 'milliseconds'),
    quotes: sometimes(0.3, ['single-use'], 'reusable'),
    payments: random.pick([10, 20, 50]),
    changeInterval: random.pick([second, 3 * second, 10 * second, 30 * second]),
    latency: random.pick([5, 120, 900]),
    createFaults: random.pick([0, 0.3, 0.7]),
    readFaults: random.pick([0, 0, 0.05, 0.2, 0.5]),
    lateCommit: sometimes(0.3, [40 * second], 2 * second),
    journalFaults: sometimes(0.3, [0.1], 0),
    journalLatency: sometimes(0.2, [2 * second, 60 * second], 0),
    damage: sometimes(0.15, [0.1], 0),
    kills: random.pick([0, 0.3, 0.6]),
    pauses: sometimes(0.2, [0.01], 0),
    restores: sometimes(0.2, [0.3], 0),
    followers: seldom(0.25, [2], 1),
    validation,
    newFields: more.hits(0.15),
    oddItems: seldom(0.1, [0.02, 0.3], 0),
    unreadableTimes: validation === 'observe' ? seldom(0.4, [0.1], 0) : 0,
    endlessLists: seldom(0.1, ['rows', 'empty pages'], undefined),
    intruders: more.hits(0.2),
    rotations: more.hits(0.2),
    lateClockSteps: more.hits(0.1),
  };
}

/** What is odd in lists and clocks only for programs that follow and export, whose promises say what happens then. */
const plainLists = {
  validation: 'standard',
  oddItems: 0,
  unreadableTimes: 0,
  endlessLists: undefined,
  lateClockSteps: false,
} as const satisfies Partial<Settings>;

/** Returns the settings of a seed for its activities, or for others. */
export function settingsOf(seed: number, replaced: Partial<Settings>): Settings {
  const settings = { ...drawSettings(seed), ...replaced };
  const isPlain = settings.activities.some((activity) => activity === 'pay' || activity === 'list');
  return isPlain ? { ...settings, ...plainLists } : settings;
}

/** Whether an error of a read can be explained by what the platform does. */
export function isExplained(thrown: unknown, settings: Settings, isCalm: boolean): boolean {
  if (!(thrown instanceof CorridorError) || ['configuration', 'invalid-request'].includes(thrown.code)) return false;
  const { oddRows, oddItems, missingCursors, readFaults, droppedFilter } = settings;
  if (droppedFilter !== undefined) return true;
  if (!isCalm && settings.endlessLists !== undefined && thrown.code === 'pagination') return true;
  return !isCalm && (oddRows > 0 || oddItems > 0 || missingCursors > 0 || readFaults > 0);
}
