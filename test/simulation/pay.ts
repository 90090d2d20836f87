import {
  AbortedError,
  CorridorError,
  PaymentOutcomeUnknownError,
  type PaymentCreateParams,
  type PaymentCreateIntent,
} from 'corridor-sdk';
import { callHeader } from './network.ts';
import { beneficiaryId, currencyCode, customerId, type PlatformPayment } from './platform.ts';
import { columnsOf, killed, Process, type Surroundings } from './process.ts';
import { describe } from './trace.ts';

/** The client of a process, as far as paying needs it. */
export type CreatePayment = (
  process: Process,
  order: PaymentCreateParams,
  options: {
    readonly headers: Record<string, string>;
    readonly signal: AbortSignal;
    readonly consistencyWindow: number;
    readonly totalTimeout: number;
  },
) => Promise<{ readonly payment: { readonly id: string }; readonly created: boolean }>;

/** Creates a payment as partners should. */
export const createOnce: CreatePayment = ({ client }, order, options) => client.payments.createOnce(order, options);

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const processCount = 2;

/** A partner that pays orders from two processes that share a journal, and what it promises to be true in the end. */
export class Payer {
  readonly #surroundings: Surroundings;
  readonly #create: CreatePayment;
  readonly #processes: Process[] = [];
  readonly #orders: readonly PaymentCreateParams[] = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => ({
    customerId,
    beneficiaryId,
    currencyCode,
    amount: `${number}00.00`,
    purposeOfPayment: 'Goods',
    internalReference: `order-${number}`,
    documentIds: ['doc_1'],
    paymentQuoteId: `quo_${number}`,
  }));
  #calls = 0;

  constructor(surroundings: Surroundings, create: CreatePayment = createOnce) {
    this.#surroundings = surroundings;
    this.#create = create;
    const { settings, random, platform } = surroundings;
    for (const order of this.#orders)
      if (settings.quotes === 'single-use' && random.hits(0.1)) platform.addForeign(order);
  }

  /** Pays some orders. */
  async run(until: number): Promise<void> {
    const { time, random } = this.#surroundings;
    const running: Promise<void>[] = random.hits(0.5) && this.#areClocksClose ? [this.#releaseHastily(until)] : [];
    for (const request of this.#orders) {
      await time.wait(random.below(30 * second));
      if (time.now() >= until) break;
      if (random.hits(0.15)) running.push(this.#payPlainly(request));
      else for (let calls = random.hits(0.1) ? 2 : 1; calls > 0; calls -= 1) running.push(this.#pay(request));
    }
    await Promise.all(running);
  }

  /** Reconciles what is pending, a day later, and compares what exists with the orders. */
  async finish(): Promise<void> {
    const { time, trace } = this.#surroundings;
    await time.wait(25 * hour);
    const { client } = new Process('pay, at last', this.#surroundings);
    const { journal, damaged } = this.#surroundings;
    const pending = await journal.listPending();
    const intents = pending.filter(({ id }) => !damaged.has(id));
    const expectStatus = (call: string, { request }: PaymentCreateIntent, status: string, missing: string): void => {
      const quote = request['paymentQuoteId'];
      const exists = this.#paymentsOf(quote).length > 0;
      if (status !== (exists ? 'created' : missing))
        trace.fail(`${call} reported ${status} for ${quote}, whose payment ${exists ? 'exists' : 'does not exist'}`);
    };
    for (const { intent, status } of await client.payments.reconcilePending({ intents, totalTimeout: hour }))
      expectStatus('reconcilePending', intent, status, intent.clockKnown === true ? 'not-found' : 'unknown');
    for (const intent of pending.filter(({ id }) => damaged.has(id))) {
      const release = (confirmedBy?: string) =>
        client.payments.releaseIntent(columnsOf(intent), { confirmedBy, totalTimeout: hour });
      const unconfirmed = await release().catch(() => 'rejected');
      if (unconfirmed !== 'rejected') trace.fail('releaseIntent released a damaged intent that nobody confirmed');
      expectStatus('releaseIntent', intent, (await release('Ada')).status, 'released');
    }
    for (const { paymentQuoteId } of this.#orders) {
      const payments = this.#paymentsOf(paymentQuoteId);
      const list = payments.map(({ id, createdBy }) => `${id} by ${createdBy}`).join(', ');
      if (payments.length > 1) trace.fail(`${paymentQuoteId} was paid ${payments.length} times: ${list}`);
    }
  }

  #paymentsOf(quote: unknown): PlatformPayment[] {
    return this.#surroundings.platform.payments.filter(({ request }) => request.paymentQuoteId === quote);
  }

  /** Tries to pay an order until it is paid, or it is unknown whether it is. */
  async #pay(order: PaymentCreateParams): Promise<void> {
    const { time, random, settings } = this.#surroundings;
    const { lag, staleness, lateCommit, latency } = settings;
    const consistencyWindow = lag + staleness + lateCommit + 2 * latency + 3 * second;
    for (let tries = 0; tries < 5; tries += 1) {
      const process = await this.#process();
      const controller = new AbortController();
      if (random.hits(0.05)) void time.wait(random.below(20 * second)).then(() => controller.abort());
      const call = this.#nextCall();
      const options = {
        headers: { [callHeader]: call },
        signal: controller.signal,
        consistencyWindow,
        totalTimeout: 90 * second + 6 * consistencyWindow,
      };
      const result = await this.#attempt(process, call, order, () => this.#create(process, order, options));
      if (result === 'done') return;
      await time.wait(random.below(minute));
      if (typeof result === 'object' && (await this.#reconcile(result))) return;
    }
  }

  /** Whether clocks differ by so little that a person may release a payment as soon as the client does. */
  get #areClocksClose(): boolean {
    const { machineSkew, clockJumps } = this.#surroundings.settings;
    return 2 * machineSkew <= 5 * minute && !clockJumps;
  }

  /** Releases what the platform does not have at the moment, although a process may be sending it. */
  async #releaseHastily(until: number): Promise<void> {
    const { time, random, journal, trace, damaged } = this.#surroundings;
    while (time.now() < until) {
      await time.wait(random.below(3 * second));
      for (const intent of await journal.listPending()) {
        if (this.#paymentsOf(intent.request.paymentQuoteId).length > 0) continue;
        const process = await this.#process();
        const stored = damaged.has(intent.id) ? columnsOf(intent) : intent;
        const release = () => process.client.payments.releaseIntent(stored, { totalTimeout: 5 * second });
        const result = await process.run(() => release().catch(() => undefined));
        if (result !== killed && result !== undefined) trace.add(process.name, `releaseIntent: ${result.status}`);
      }
    }
  }

  /** Creates a payment once, without `createOnce`. */
  async #payPlainly(order: PaymentCreateParams): Promise<void> {
    const process = await this.#process();
    const call = this.#nextCall();
    await this.#attempt(process, call, order, async () => ({
      payment: await process.client.payments.create(order, { headers: { [callHeader]: call } }),
      created: true,
    }));
  }

  /** Makes a call and compares its outcome with the payments that it created. */
  async #attempt(
    process: Process,
    call: string,
    order: PaymentCreateParams,
    work: () => ReturnType<CreatePayment>,
  ): Promise<'done' | 'failed' | PaymentCreateIntent> {
    const { time, trace, network, settings, platform } = this.#surroundings;
    const fail = (message: string): void => trace.fail(`${call} for ${order.paymentQuoteId} ${message}`);
    const isFirst = this.#paymentsOf(order.paymentQuoteId).length === 0;
    const startedAt = time.now();
    trace.add(process.name, `${call} pays ${order.paymentQuoteId}`);
    const settled = async (): Promise<readonly PlatformPayment[]> => {
      await time.wait(settings.lateCommit + 4 * settings.latency);
      return platform.payments.filter(({ createdBy }) => createdBy === call);
    };
    try {
      const result = await process.run(work);
      if (result === killed) return 'failed';
      const { payment, created } = result;
      trace.add(process.name, `${call} returns ${payment.id}, created: ${created}`);
      const own = await settled();
      if (!this.#paymentsOf(order.paymentQuoteId).some(({ id }) => id === payment.id))
        fail(`returned ${payment.id}, which is not its payment`);
      const isOwn = own.some(({ id }) => id === payment.id);
      // Only its time tells whether a payment is older than the call. After a conflict it decides to the second, and by
      // both clocks; otherwise it takes two wrong clocks to make a new payment an old one.
      const { date, dateSkew, databaseSkew, wrongDates, machineSkew, clockJumps } = settings;
      const isTimeKnown = date === 'present' && wrongDates === 0;
      const areClocksEqual = [dateSkew, databaseSkew, machineSkew].every((skew) => skew === 0) && !clockJumps;
      const isOwnRight = machineSkew <= hour && !clockJumps;
      const isOneRight = wrongDates === 0 || isOwnRight;
      const isOwnClear = network.conflicts.has(call) ? isTimeKnown && areClocksEqual : isOneRight;
      const isClear = isOwn ? isOwnClear : isTimeKnown && isOwnRight;
      if (isClear && created !== isOwn)
        fail(`returned created: ${created} for a payment that ${isOwn ? 'it' : 'another call'} created`);
      return 'done';
    } catch (thrown) {
      trace.add(process.name, `${call} throws ${describe(thrown)}`);
      const own = await settled();
      if (!(thrown instanceof CorridorError)) fail(`threw ${describe(thrown)}`);
      else if (['not-sent', 'rejected'].includes(thrown.outcome ?? '') && own.length > 0)
        fail(`threw ${thrown.outcome}, but created ${own.map(({ id }) => id).join(', ')}: ${describe(thrown)}`);
      else if (
        isFirst &&
        thrown.outcome !== 'not-sent' &&
        !network.disturbed.has(call) &&
        process.pausedAt < startedAt &&
        own.length > 0 &&
        !(thrown instanceof AbortedError)
      )
        fail(`threw although its request succeeded: ${describe(thrown)}`);
      return thrown instanceof PaymentOutcomeUnknownError ? thrown.intent : 'failed';
    }
  }

  /** Returns whether the payment of an intent is found. */
  async #reconcile(intent: PaymentCreateIntent): Promise<boolean> {
    const { trace } = this.#surroundings;
    const process = await this.#process();
    try {
      const { payments } = process.client;
      const isMissing = this.#paymentsOf(intent.request.paymentQuoteId).length === 0;
      // The support of the platform says that it has none, maybe before it receives it.
      if (isMissing) await process.run(() => payments.releaseIntent(intent).catch(() => undefined));
      const result = await process.run(() => payments.reconcile(intent));
      return result !== killed && result.status === 'created';
    } catch (thrown) {
      trace.add(process.name, `reconcile throws ${describe(thrown)}`);
      if (!(thrown instanceof CorridorError)) trace.fail(`reconcile threw ${describe(thrown)}`);
      return false;
    }
  }

  /** Returns one of the processes. One that was killed starts again after a while, with what is pending. */
  async #process(): Promise<Process> {
    const { time, random } = this.#surroundings;
    const index = Math.floor(random.below(processCount));
    const process = this.#processes[index];
    if (process?.isAlive === true) return process;
    await time.wait(random.below(minute));
    const started = new Process(`pay ${index + 1}`, this.#surroundings);
    this.#processes[index] = started;
    await started.run(() => started.client.payments.reconcilePending().catch(() => []));
    return started;
  }

  #nextCall(): string {
    this.#calls += 1;
    return `call-${this.#calls}`;
  }
}
