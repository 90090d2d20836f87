import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { MirrorError, type MirrorChange, type MirrorStatus } from 'corridor-sdk';
import { isFinal } from './platform.ts';
import { personalText, settleTime, versionAt, type RecordName, type Row, type SyncRecord } from './sync-platform.ts';
import { openMirror, syncIntervals, type SyncSurroundings } from './sync-process.ts';

/** The promises of docs/sync.md, in its order, and what is said when one is broken. */
const promises = {
  fill: 'Each record of the first fill is a change without a previous status; a fill that was killed continues',
  fresh: 'Each part has been read at its `asOf` or later',
  errors:
    'A read that fails is tried again; a locked database ends only a job; a replaced one ends a sync with an error',
  bounded: 'Lists without an end do not keep a sync reading for ever',
  lease: 'If the process that works is killed, another continues when its lease has ended',
  abort: 'A sync ends when the signal aborts',
  sequence: 'Sequences have no gaps, and `previousStatus` is the status of the previous change of the record',
  fields: '`fields` names what differs, and nothing for a new record',
  changes: 'A change is stored exactly if it is in its table: the last change has the status of the row',
  gap: 'A gap in the changes is always a MirrorError, and only removed or restored changes are one',
  retention: 'Only changes that are older than the retention are removed, the oldest first',
  behind: '`behind` is what was not read within two intervals',
  dryRun: 'A dry run writes nothing, and reports exactly what differs',
  personal: 'Without `sensitive`, personal data is not stored',
  order: 'An earlier response does not overwrite a newer row: the states of a record are written in their order',
  missing: 'A record is missing only if the platform does not list it, and its row is never deleted',
  edited: 'A row that another program has changed is a difference, and a full run repairs it',
  unstored: 'What cannot be stored is named, and keeps no other record out',
  exact: 'In the end, the mirror is what the platform lists',
  organization: 'A mirror belongs to one organization: another key writes nothing, a rotated one continues',
} as const;

/** A promise of docs/sync.md. */
export type SyncPromise = keyof typeof promises;

const tables: Readonly<Record<RecordName, string>> = {
  payment: 'corridor_payments',
  customer: 'corridor_customers',
  beneficiary: 'corridor_beneficiaries',
};

interface StoredRow {
  readonly key: string;
  readonly status: string | null;
  readonly isMissing: boolean;
  readonly data: Row;
}

const [second, minute] = [1_000, 60_000];
/** How far the times of responses are from the true time, in milliseconds. */
const timeError = 3 * second;

/** What a partner does with a mirror, and whether it is as docs/sync.md promises. */
export class SyncPromises {
  readonly #surroundings: SyncSurroundings;
  /** The status of each record by the changes that the ledger has read, and how far it is. */
  readonly #ledger = new Map<string, string | null>();
  #position = '0';
  #sequence = 0;
  /** The records of which a change was not checked since the ledger was built from the tables. */
  #unchecked = new Set<string>();
  /** Whether the database was replaced since the ledger has read from it last. */
  #wasReplaced = false;
  /** The version of each record that the mirror had when it was looked at last. */
  readonly #versions = new Map<string, number>();
  /** The changes that were there when the mirror was looked at last, by sequence. */
  #changes = new Map<number, string>();
  /** The records whose rows another program has changed, and those of them that may not be repaired yet. */
  readonly #edited = new Set<string>();
  readonly #unrepaired = new Set<string>();

  constructor(surroundings: SyncSurroundings) {
    this.#surroundings = surroundings;
  }

  /** Reports a promise that is broken. */
  fail(promise: SyncPromise, details: string): void {
    this.#surroundings.trace.fail(`${promises[promise]}: ${details}`);
  }

  /** The database was replaced by an older one. */
  replaced(): void {
    this.#wasReplaced = true;
    this.#versions.clear();
    this.#changes.clear();
  }

  /** Another program has changed the row of a record. */
  edited(key: string): void {
    this.#edited.add(key);
    this.#unrepaired.add(key);
  }

  /** Full runs have read everything since rows were changed. */
  repaired(): void {
    this.#unrepaired.clear();
  }

  /** Reads changes into a ledger that stores each with its position. Ends after some of them. */
  async readChanges(limit: number, waits: boolean): Promise<void> {
    const { time, trace } = this.#surroundings;
    if (!existsSync(this.#surroundings.path)) return;
    const mirror = openMirror(this.#surroundings);
    const stop = new AbortController();
    const cancel = time.after(20 * second, () => stop.abort());
    let count = 0;
    try {
      for await (const change of mirror.changes({ after: this.#position, once: !waits, signal: stop.signal })) {
        this.#add(change);
        if ((count += 1) >= limit) break;
      }
    } catch (thrown) {
      await this.#handleGap(thrown);
    } finally {
      cancel();
      mirror.close();
    }
    trace.add('ledger', `has read ${count} changes, and is at ${this.#position}`);
  }

  #add({ record, id, sequence, position, previousStatus, status, fields, data }: MirrorChange): void {
    const key = `${record}:${id}`;
    const known = this.#ledger.get(key) ?? null;
    if (sequence !== this.#sequence + 1) this.fail('gap', `after change ${this.#sequence} came ${sequence}`);
    const isChecked = !this.#unchecked.delete(key);
    if (isChecked && known !== previousStatus)
      this.fail('sequence', `${key} was ${known ?? 'new'}, and change ${sequence} says ${previousStatus ?? 'new'}`);
    if (previousStatus === null && fields.length > 0 && known === null && isChecked)
      this.fail('fields', `change ${sequence} of the new ${key} has ${fields.join(', ')}`);
    if (fields.includes('status') && previousStatus === status && !this.#edited.has(key))
      this.fail('fields', `change ${sequence} of ${key} has status, which is ${status} as before`);
    if (data.id !== id) this.fail('changes', `change ${sequence} of ${key} has the record ${String(data.id)}`);
    this.#ledger.set(key, status);
    [this.#position, this.#sequence] = [position, sequence];
  }

  /** Starts again with the tables, as the error says. */
  async #handleGap(thrown: unknown): Promise<void> {
    const { trace, settings } = this.#surroundings;
    if (!(thrown instanceof MirrorError)) throw thrown;
    trace.add('ledger', `changes throws ${thrown.message}`);
    if (thrown.retryable && settings.locks) return;
    if (!this.#wasReplaced && settings.retention === undefined) this.fail('gap', thrown.message);
    if (!this.#hasTables()) {
      this.#ledger.clear();
      [this.#position, this.#sequence] = ['0', 0];
      return;
    }
    const mirror = openMirror(this.#surroundings);
    const { lastPosition, lastSequence } = await mirror.status();
    mirror.close();
    this.#ledger.clear();
    for (const { key, status } of this.#rows()) {
      this.#ledger.set(key, status);
      this.#unchecked.add(key);
    }
    [this.#position, this.#sequence] = [lastPosition, lastSequence];
    this.#wasReplaced = false;
  }

  /** Compares the mirror with what has happened. */
  async check(): Promise<void> {
    const { time, settings } = this.#surroundings;
    if (!this.#hasTables()) return;
    const mirror = openMirror(this.#surroundings);
    const status = await mirror.status().catch((thrown: unknown) => {
      if (!(settings.locks && thrown instanceof MirrorError && thrown.retryable)) throw thrown;
    });
    mirror.close();
    if (status === undefined) return;
    const rows = new Map(this.#rows().map((row) => [row.key, row]));
    for (const row of rows.values()) this.#checkRow(row);
    for (const key of this.#versions.keys()) if (!rows.has(key)) this.fail('missing', `the row of ${key} was deleted`);
    this.#checkFreshness(status, rows);
    this.#checkChanges(status, rows);
    for (const { id, problem } of status.unstored)
      if (settings.unstorableRows === 0 && !settings.oddRecords) this.fail('unstored', `${id}: ${problem}`);
    if (!settings.sensitive && this.#dump().includes(personalText)) this.fail('personal', 'the database has a name');
    for (const name of ['open', 'recent', 'older', 'customers', 'beneficiaries'] as const)
      if (Date.parse(String(status[name].asOf)) > time.now() + timeError)
        this.fail('fresh', `${name}.asOf is in the future: ${status[name].asOf}`);
  }

  #checkRow({ key, status, isMissing, data }: StoredRow): void {
    const { platform, settings, time } = this.#surroundings;
    const found = platform.records.get(key);
    const revision = Number(data['revision']);
    if (found === undefined || found.organization !== 0) return this.fail('organization', `the mirror has ${key}`);
    const version = found.versions[revision - 1];
    const shown = String(version?.row?.['status']).slice(0, 500);
    if (status !== shown && !this.#unrepaired.has(key))
      this.fail('exact', `${key} is ${String(status)} in its row, which has revision ${revision}: ${shown}`);
    const before = this.#versions.get(key) ?? 0;
    const isQuiet = version?.row?.['updatedAt'] === found.versions[before - 1]?.row?.['updatedAt'];
    if (revision < before && !isQuiet) this.fail('order', `${key} had revision ${before}, and has ${revision}`);
    this.#versions.set(key, revision);
    if (!isMissing || found.versions.at(-1)?.row === undefined) return;
    // A replica that lags does not show a new record.
    const isNew = found.listed > time.now() - 2 * minute - settleTime(settings);
    if (!(isNew && settings.staleness > 0) && this.#isListed(found)) this.fail('missing', `${key}, which is listed`);
  }

  /** Whether lists show a record for certain: not if its creation time is in no range, or if it moves between lists. */
  #isListed({ record, isInRanges }: SyncRecord): boolean {
    return isInRanges && (record !== 'beneficiary' || this.#surroundings.platform.isCalm);
  }

  #checkFreshness(status: MirrorStatus, rows: ReadonlyMap<string, StoredRow>): void {
    const { platform, settings } = this.#surroundings;
    const excluded = new Set([...status.heldBack, ...status.unstored].map(({ record, id }) => `${record}:${id}`));
    const isRecent = ({ versions }: SyncRecord, asOf: number, margin: number): boolean =>
      Date.parse(String(versions[0]?.row?.['createdAt'])) > asOf - syncIntervals.recentWindow + margin;
    const parts: Readonly<Record<string, (each: SyncRecord, row: StoredRow | undefined, asOf: number) => boolean>> = {
      // Of those that are not stored: one that appears with an earlier creation time can have ended before it is listed.
      open: ({ record, listed, versions }, row) =>
        record === 'payment' &&
        (row === undefined
          ? listed - Date.parse(String(versions[0]?.row?.['createdAt'])) < 60 * minute
          : !isFinal(String(row.status))),
      recent: (each, _row, asOf) => each.record === 'payment' && isRecent(each, asOf, 2 * syncIntervals.fullInterval),
      older: (each, _row, asOf) => each.record === 'payment' && !isRecent(each, asOf, -2 * syncIntervals.fullInterval),
      customers: ({ record }) => record === 'customer',
      beneficiaries: ({ record }) => record === 'beneficiary',
    };
    for (const [name, includes] of Object.entries(parts)) {
      const { asOf } = status[name as 'open'];
      if (asOf === null) continue;
      const time = Date.parse(asOf) - timeError - settleTime(settings);
      for (const each of platform.own) {
        const key = `${each.record}:${each.id}`;
        const row = rows.get(key);
        if (excluded.has(key) || this.#unrepaired.has(key) || !includes(each, row, time) || !each.isInRanges) continue;
        const expected = versionAt(each, time);
        // It can have been deleted before it was read.
        if (each.versions.at(-1)?.row === undefined) continue;
        if (expected === undefined || each.listed > time || row?.isMissing === true) continue;
        // A list may show a new record late, and a beneficiary that moves in none of two.
        const isLate = each.listed > time - syncIntervals.consistencyWindow;
        if (row === undefined && (isLate || !this.#isListed(each))) continue;
        const number = each.versions.indexOf(expected) + 1;
        if (Number(row?.data['revision'] ?? 0) < number)
          this.fail(
            'fresh',
            `${name}.asOf is ${asOf}, and ${key} has revision ${String(row?.data['revision'])}, not ${number}`,
          );
      }
    }
  }

  #checkChanges({ lastSequence }: MirrorStatus, rows: ReadonlyMap<string, StoredRow>): void {
    const { settings, time } = this.#surroundings;
    const changes = this.#select('select * from corridor_changes order by sequence');
    const last = new Map<string, unknown>();
    for (const [index, { sequence, record, id, status, previous_status: previous }] of changes.entries()) {
      const key = `${String(record)}:${String(id)}`;
      const expected = Number(changes[0]?.['sequence']) + index;
      if (sequence !== expected) this.fail('gap', `the mirror has change ${String(sequence)}, and not ${expected}`);
      if (last.has(key) && last.get(key) !== previous)
        this.fail(
          'sequence',
          `change ${String(sequence)} of ${key} says ${String(previous)}, not ${String(last.get(key))}`,
        );
      last.set(key, status);
    }
    if (changes.length > 0 && changes.at(-1)?.['sequence'] !== lastSequence)
      this.fail(
        'changes',
        `the last change is ${String(changes.at(-1)?.['sequence'])}, and the status says ${lastSequence}`,
      );
    for (const [key, { status }] of rows)
      if (last.has(key) ? last.get(key) !== status && !this.#unrepaired.has(key) : settings.retention === undefined)
        this.fail('changes', `${key} is ${status}, and its last change says ${String(last.get(key))}`);
    this.#checkCount(changes);
    const present = new Map(changes.map((row) => [Number(row['sequence']), String(row['observed_at'])]));
    // The times of changes are those of the clocks of processes.
    const latest =
      time.now() - (settings.retention ?? 0) + (settings.clockSteps ? 5 * 60 * minute : settings.machineSkew);
    for (const [sequence, observedAt] of this.#changes)
      if (!present.has(sequence) && (settings.retention === undefined || Date.parse(observedAt) > latest))
        this.fail('retention', `change ${sequence} of ${observedAt} was removed`);
    this.#changes = present;
  }

  /** A field that differs between replicas does not become a change with each reading. */
  #checkCount(changes: readonly Row[]): void {
    const { platform, settings } = this.#surroundings;
    if (settings.restores !== undefined || settings.drops || settings.edits) return;
    const counts = new Map<string, number>();
    for (const { record, id, fields } of changes)
      if (!String(fields).includes('missing'))
        counts.set(`${String(record)}:${String(id)}`, (counts.get(`${String(record)}:${String(id)}`) ?? 0) + 1);
    for (const [key, count] of counts) {
      const states = platform.records.get(key)?.versions.length ?? 0;
      if (count > 2 * states + 1) this.fail('order', `${key} has ${count} changes of ${states} states`);
    }
  }

  /** Compares the mirror with the platform, which has not changed for a while. */
  async checkExact(differences: readonly unknown[]): Promise<void> {
    const { platform, settings } = this.#surroundings;
    await this.readChanges(Number.POSITIVE_INFINITY, false);
    await this.check();
    if (differences.length > 0) this.fail('dryRun', `it reports ${JSON.stringify(differences.slice(0, 3))}`);
    const rows = new Map(this.#rows().map((row) => [row.key, row]));
    for (const each of platform.own) {
      const key = `${each.record}:${each.id}`;
      const row = rows.get(key);
      const expected = each.versions.at(-1)?.row;
      if (row === undefined) {
        // It was gone before it was read, or was in no list that is read.
        if (expected !== undefined && each.isInRanges) this.fail('exact', `${key} is not in the mirror`);
        continue;
      }
      if (row.isMissing !== (expected === undefined) && each.isInRanges)
        this.fail('missing', `${key} is ${row.isMissing ? '' : 'not '}missing`);
      if (expected !== undefined && !row.isMissing && row.data['revision'] !== expected['revision'])
        this.fail('exact', `${key} has revision ${String(row.data['revision'])} of ${String(expected['revision'])}`);
      if (expected !== undefined && !row.isMissing && settings.sensitive) {
        const [stored, shown] = [row.data, expected].map((value) => JSON.stringify({ ...value, receiptUrl: '' }));
        const storable = String(shown).replaceAll('\\u0000', '\uFFFD').replaceAll('\\ud800', '\uFFFD');
        if (stored !== storable) this.fail('exact', `${key} is ${stored}, not ${storable}`);
      }
      if (this.#ledger.get(key) !== row.status)
        this.fail('changes', `${key} is ${row.status}, and ${String(this.#ledger.get(key))} in the ledger`);
    }
  }

  /** Returns everything that the database has. */
  #dump(): string {
    return JSON.stringify(
      ['corridor_sync', 'corridor_changes', ...Object.values(tables)].map((name) =>
        this.#select(`select * from ${name}`),
      ),
    );
  }

  /** Runs work that must write nothing. */
  async unchanged<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#hasTables() ? this.#dump() : existsSync(this.#surroundings.path);
    const result = await work();
    const after = this.#hasTables() ? this.#dump() : existsSync(this.#surroundings.path);
    if (before !== after) this.fail('dryRun', 'the database was changed');
    return result;
  }

  /** The number of records that the mirror has. */
  get count(): number {
    return this.#hasTables() ? this.#rows().length : 0;
  }

  #hasTables(): boolean {
    if (!existsSync(this.#surroundings.path)) return false;
    return this.#select("select 1 from sqlite_master where name = 'corridor_changes'").length > 0;
  }

  #rows(): StoredRow[] {
    return Object.entries(tables).flatMap(([record, table]) =>
      this.#select(`select id, status, missing_since, data from ${table}`).map((row) => ({
        key: `${record}:${String(row['id'])}`,
        status: row['status'] as string | null,
        isMissing: row['missing_since'] !== null,
        data: JSON.parse(String(row['data'])) as Row,
      })),
    );
  }

  #select(sql: string): Row[] {
    const database = new DatabaseSync(this.#surroundings.path, { readOnly: true });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  }
}
