import { RandomSource } from '../support/random-source.ts';

/** The settings of a simulation of `corridor.sync`. Times are in milliseconds, rates are probabilities. */
export interface SyncSettings {
  /** How many processes work at once. */
  readonly processes: 1 | 2;
  /** Whether they follow, run once, or either. */
  readonly runs: 'follow' | 'once' | 'both';
  readonly sensitive: boolean;
  /** How long changes are kept. */
  readonly retention: number | undefined;

  /** Whether clients with the key of another organization try to write. */
  readonly intruders: boolean;
  /** Whether the key of the organization is replaced by another one from time to time. */
  readonly rotations: boolean;

  /** The records at the start, at most. */
  readonly payments: number;
  readonly customers: number;
  /** Whether many payments are created at one instant. */
  readonly instants: boolean;
  /** The time between two changes of records, on average. */
  readonly changeInterval: number;
  /** How long a list may take to show a record, and how old the state of a response may be. */
  readonly lag: number;
  readonly staleness: number;
  /** Whether fields also change without a new `updatedAt`, as those that are joined from another record. */
  readonly quietChanges: boolean;
  readonly pageSize: number;
  readonly cursors: 'offset' | 'keyset';
  readonly sort: 'createdAt' | 'updatedAt' | 'id';
  /** Whether payments get a status that the client does not know. */
  readonly unknownStatuses: boolean;
  /** Whether records have fields that are odd. */
  readonly oddRecords: boolean;
  /** The rate of pages with a row that cannot be stored. */
  readonly unstorableRows: number;
  /** What lists without an end respond with, for some minutes. */
  readonly endlessLists: 'cursors' | 'empty pages' | undefined;
  readonly readFaults: number;
  readonly latency: number;

  /** How far the clocks of processes are off, and whether they are set while these run. */
  readonly machineSkew: number;
  readonly clockSteps: boolean;
  /** The rates of processes that are killed, and of those that are paused. */
  readonly kills: number;
  readonly pauses: number;
  /** How long a transaction takes. */
  readonly transactionTime: number;
  /** Whether other connections lock the file for a while. */
  readonly locks: boolean;

  /** How an older copy of the database is put back: as the file, or as the rows of its tables. */
  readonly restores: 'file' | 'rows' | undefined;
  /** Whether the processes run while it is put back. */
  readonly restoresWhileRunning: boolean;
  /** Whether the tables are dropped while processes run. */
  readonly drops: boolean;
  /** Whether another program edits rows. */
  readonly edits: boolean;

  /** What the list of beneficiaries of one customer always responds with. */
  readonly trouble: 400 | 403 | 404 | 500 | undefined;
  /** Whether the function of the API key returns that of another organization from time to time. */
  readonly keyChanges: boolean;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Draws the settings of a seed. Most of them have their plain value, so that few things are odd at the same time. */
export function drawSyncSettings(seed: number): SyncSettings {
  const random = new RandomSource(seed * 7_919 + 1);
  const sometimes = <T>(rate: number, odd: readonly T[], plain: T): T => (random.hits(rate) ? random.pick(odd) : plain);
  const pageSize = random.pick([7, 25, 100]);
  return {
    processes: sometimes(0.4, [2], 1),
    runs: random.pick(['follow', 'once', 'both']),
    sensitive: random.hits(0.5),
    retention: sometimes(0.2, [5 * minute, 20 * minute], undefined),
    intruders: random.hits(0.2),
    rotations: random.hits(0.2),
    // A page is a request.
    payments: random.pick([0, 10, 40, pageSize < 10 ? 40 : 150]),
    customers: random.pick([1, 3, 6]),
    instants: random.hits(0.15),
    changeInterval: random.pick([3 * second, 15 * second, 60 * second]),
    lag: sometimes(0.25, [4 * second, 60 * second], 0),
    staleness: sometimes(0.3, [4 * second, 60 * second], 0),
    pageSize,
    cursors: sometimes(0.5, ['keyset'], 'offset'),
    sort: sometimes(0.3, ['updatedAt', 'id'], 'createdAt'),
    unknownStatuses: random.hits(0.25),
    oddRecords: random.hits(0.25),
    unstorableRows: sometimes(0.2, [0.1, 1], 0),
    endlessLists: sometimes(0.12, ['cursors', 'empty pages'], undefined),
    readFaults: sometimes(0.3, [0.05, 0.2], 0),
    latency: random.pick([5, 120, 900]),
    machineSkew: sometimes(0.3, [2 * minute, 3 * hour], 0),
    clockSteps: random.hits(0.15),
    kills: sometimes(0.5, [0.4, 0.8], 0),
    pauses: sometimes(0.3, [0.5], 0),
    transactionTime: sometimes(0.2, [300, 3 * second], 0),
    locks: random.hits(0.2),
    restores: sometimes(0.2, ['file', 'rows'], undefined),
    restoresWhileRunning: random.hits(0.5),
    drops: random.hits(0.06),
    edits: random.hits(0.15),
    trouble: sometimes(0.3, [400, 403, 404, 500], undefined),
    keyChanges: random.hits(0.15),
    quietChanges: random.hits(0.25),
  };
}
