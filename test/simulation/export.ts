import {
  ConfigurationError,
  CorridorError,
  isPaymentStatus,
  type ExportCheckpoint,
  type ListedPayment,
  type PaymentExportOptions,
  type PaymentExportParams,
} from 'corridor-sdk';
import { isFinal, statusAt, type PlatformPayment } from './platform.ts';
import { changingKey, killed, Process, type Surroundings } from './process.ts';
import { promisesOf } from './promises.ts';
import { isExplained } from './settings.ts';
import { describe } from './trace.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const maxErrors = 25;
// A list without an end is one after this many requests; several are read at once.
const maxEndlessRequests = 1_500;

class CallbackError extends Error {}

/** A partner that exports payments, and stores each page together with its checkpoint. */
export class Exporter {
  readonly #surroundings: Surroundings;
  readonly #fail: ReturnType<typeof promisesOf<'export'>>;
  #runs = 0;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#fail = promisesOf('export', surroundings.trace);
  }

  /** Exports again and again until a time. */
  async run(until: number): Promise<void> {
    const { time, random } = this.#surroundings;
    while (time.now() < until) {
      await this.#export();
      await time.wait(random.below(2 * minute));
    }
  }

  async #export(): Promise<void> {
    const { time, random, platform, settings } = this.#surroundings;
    // A status that payments have, and that they may lose.
    const statuses = platform.payments.map(({ history }) => history.at(-1)?.status);
    const open = statuses.filter((each) => !isFinal(each ?? ''));
    const frequent: unknown = random.pick(open.length > 0 && random.hits(0.7) ? open : [undefined, ...statuses]);
    const status = random.hits(0.5) && isPaymentStatus(frequent) ? frequent : undefined;
    const from = random.hits(0.5) ? platform.databaseTime - random.below(40 * hour) : undefined;
    const to = random.hits(0.5) ? Math.max(from ?? 0, platform.databaseTime - random.below(2 * hour)) : undefined;
    const query: PaymentExportParams = {
      status,
      createdFrom: from === undefined ? undefined : new Date(from).toISOString(),
      createdTo: to === undefined ? undefined : new Date(to).toISOString(),
    };
    const consistencyWindow = random.pick([10 * second, 5 * minute]);
    const options: PaymentExportOptions = {
      consistencyWindow,
      concurrency: random.pick([1, 2, 4]),
      order: random.hits(0.3) ? 'created' : 'any',
      ...this.#callbacks(),
    };
    const began = time.now();
    const pages: ListedPayment[] = [];
    if (!(await this.#read(query, options, pages))) return;
    const ids = pages.map(({ id }) => id);
    const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
    if (repeated.length > 0) this.#fail('eachOnce', repeated.join(', '));
    const wasThere = ({ createdAt, listed, history, isTimed }: PlatformPayment): boolean =>
      isTimed &&
      listed <= began - settings.staleness &&
      createdAt >= (from ?? 0) &&
      // Without an end, it ends a while ago by a clock that can be wrong.
      createdAt <=
        (to ??
          Math.min(platform.databaseTime, began + settings.databaseSkew) - consistencyWindow - this.#clockError()) &&
      (status === undefined ||
        (statusAt({ history } as PlatformPayment, began - settings.staleness) === status &&
          history.every(({ at }) => at <= began - settings.staleness)));
    const missing = platform.payments.filter((payment) => wasThere(payment) && !ids.includes(payment.id));
    if (missing.length > 0)
      this.#fail('all', `${JSON.stringify(query)} lost ${missing.map(({ id }) => id).join(', ')}`);
    const extra = platform.payments.filter(
      ({ id, createdAt, history }) =>
        ids.includes(id) &&
        (createdAt < (from ?? 0) ||
          createdAt > (to ?? Number.POSITIVE_INFINITY) ||
          (status !== undefined && !history.some((entry) => entry.status === status))),
    );
    if (extra.length > 0)
      this.#fail('within', `${JSON.stringify(query)} returned ${extra.map(({ id }) => id).join(', ')}`);
    const byCreation = ids.map((id) => platform.payments.find((payment) => payment.id === id)?.createdAt ?? 0);
    if (options.order === 'created' && byCreation.some((at, index) => at < (byCreation[index - 1] ?? 0)))
      this.#fail('created', ids.join(', '));
  }

  /** Reads all pages with processes that can be killed. Returns false if the export failed for a good reason. */
  async #read(query: PaymentExportParams, options: PaymentExportOptions, pages: ListedPayment[]): Promise<boolean> {
    const { time, random, platform, settings, trace, network } = this.#surroundings;
    // Copies of what was stored: a checkpoint, and the number of payments.
    const copies: { readonly checkpoint: string | undefined; readonly count: number }[] = [];
    let stored: string | undefined;
    for (let errors = 0; errors < maxErrors;) {
      this.#runs += 1;
      if (settings.restores > 0) {
        copies.push({ checkpoint: stored, count: pages.length });
        if (random.hits(settings.restores)) {
          const copy = random.pick(copies);
          [stored, pages.length] = [copy.checkpoint, copy.count];
          copies.length = copies.indexOf(copy) + 1;
          trace.add('partner', `restores ${copy.count} payments`);
        }
      }
      if (stored !== undefined) await this.#intrude(query, options, stored);
      const process = new Process(`export ${this.#runs}`, this.#surroundings);
      const checkpoint = stored === undefined ? undefined : (JSON.parse(stored) as ExportCheckpoint);
      trace.add(process.name, `export ${JSON.stringify({ ...query, ...options })} ${stored ?? ''}`);
      try {
        const result = await process.run(async () => {
          for await (const page of process.client.payments.export(query, { ...options, checkpoint }).pages()) {
            if (!process.isAlive) return;
            trace.add(process.name, `exports ${page.items.map(({ id }) => id).join(', ')}`);
            pages.push(...page.items);
            stored = JSON.stringify(page.checkpoint);
          }
        });
        if (result !== killed) return true;
      } catch (thrown) {
        trace.add(process.name, `export throws ${describe(thrown)}`);
        if (thrown instanceof CallbackError) return false;
        // Rows can be seen to change while the pages of one second are read.
        const mayDetect = query.status !== undefined || settings.sort === 'updatedAt' || settings.cursors === 'offset';
        const isDetected =
          thrown instanceof CorridorError &&
          (thrown.message.includes('change faster than they can be read') ||
            (mayDetect && ['pagination', 'invalid-response'].includes(thrown.code)));
        const requests = network.endless.get(process.name) ?? 0;
        const isEndless = thrown instanceof CorridorError && thrown.code === 'pagination';
        if (isEndless && requests > maxEndlessRequests) this.#fail('bounded', `${requests} requests`);
        if (!isDetected && !isExplained(thrown, settings, platform.isCalm)) {
          this.#fail('failure', describe(thrown));
          return false;
        }
        errors += 1;
      }
      await time.wait(random.below(30 * second));
    }
    return false;
  }

  /** Another organization passes the checkpoint, sometimes. */
  async #intrude(query: PaymentExportParams, options: PaymentExportOptions, stored: string): Promise<void> {
    const { random, settings, trace } = this.#surroundings;
    // A checkpoint that has seen no payment holds for every organization.
    if (!settings.intruders || !stored.includes('"seen":[') || !random.hits(0.5)) return;
    const intruder = changingKey(this.#surroundings);
    const process = new Process(`export intruder ${this.#runs}`, this.#surroundings, intruder.key);
    const checkpoint = JSON.parse(stored) as ExportCheckpoint;
    const result = await process
      .run(async () => {
        let payments = 0;
        for await (const { items } of process.client.payments.export(query, { ...options, checkpoint }).pages())
          payments += items.length;
        return `${payments} payments`;
      })
      .catch((thrown: unknown) => thrown);
    process.end();
    trace.add(process.name, describe(result));
    const isPrevented =
      result === killed || (result instanceof ConfigurationError && result.message.includes('another organization'));
    if (intruder.hasChanged && !isPrevented && !isExplained(result, settings, false))
      this.#fail('foreign', describe(result));
  }

  /** How far the time that the client knows can be behind that of the database. */
  #clockError(): number {
    const { date, dateSkew, machineSkew, databaseSkew, clockJumps, lateClockSteps } = this.#surroundings.settings;
    const error = date === 'present' ? Math.abs(dateSkew) : machineSkew + Math.abs(databaseSkew);
    return error + Number(clockJumps) * 2 * hour + Number(lateClockSteps) * 10 * hour + 5 * second;
  }

  #callbacks(): Pick<PaymentExportOptions, 'onCheckpoint' | 'onProgress'> {
    const { random } = this.#surroundings;
    const reject = () => Promise.reject(new CallbackError('the callback failed'));
    if (random.hits(0.03)) return { onProgress: reject };
    if (random.hits(0.03)) return { onCheckpoint: reject };
    return {};
  }
}
