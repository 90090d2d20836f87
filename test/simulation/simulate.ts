import { Corridor, CorridorError, PaymentOutcomeUnknownError, type PaymentCreate, type StoredIntent } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { Chance } from './chance.ts';
import { FaultyNetwork } from './faulty-network.ts';
import type { Settings } from './settings.ts';
import { virtualOptions, VirtualTime } from './virtual-time.ts';

/** How payments are created: by `createOnce`, by `createOnce` that may send again, or by trying three times whatever happens. */
export type Strategy = 'createOnce' | 'createOnce, resend' | 'naive retry';

/** What became of the creates of a simulation. */
export interface Tally {
  readonly strategy: Strategy;
  readonly settings: Settings;
  /** Reported as made; of these, found in the list instead of answered. */
  readonly made: number;
  readonly recovered: number;
  /** Reported as not made. */
  readonly failed: number;
  /** Reported as not known; of these, really made. */
  readonly unknown: number;
  readonly unknownMade: number;
  /** Payments beyond the first for one quote. */
  readonly duplicates: number;
  /** Reported as not made, but there. */
  readonly falseFailures: number;
  /** Reported as made, but not there, or there under another id. */
  readonly falseSuccesses: number;
  /** Not known, and reconcile a minute later or recover at the end did not find out rightly. */
  readonly wronglyResolved: number;
  /** Ended in no way that is foreseen. */
  readonly unforeseen: readonly string[];
  readonly posts: number;
  readonly lists: number;
  readonly faults: ReadonlyMap<string, number>;
  /** How much virtual time went by, in hours. */
  readonly hours: number;
}

type Report =
  | { readonly kind: 'made'; readonly paymentId: string; readonly recovered: boolean }
  | { readonly kind: 'failed' }
  | { readonly kind: 'unknown'; readonly intent: string }
  | { readonly kind: 'unforeseen'; readonly what: string };

/** Makes many payments over a bad network, in virtual time, and holds what was reported against what is there. */
export async function simulate(strategy: Strategy, settings: Settings): Promise<Tally> {
  const time = new VirtualTime();
  const began = time.now();
  const platform = createMockPlatform({ seed: settings.seed, quotes: settings.quotes, now: () => time.now() + settings.skew });
  const network = new FaultyNetwork(time, platform, settings);
  const newProcess = (): Corridor => new Corridor({ ...platform.clientOptions(), ...virtualOptions(time, network.fetch), timeout: settings.timeout, tokenLifetime: settings.tokenLifetime });
  const requests: PaymentCreate[] = [];
  const reports: Report[] = [];
  const resolved = new Map<number, boolean>();
  const atTheEnd = new Map<string, boolean>();
  const chance = new Chance(settings.seed);
  const request = requestsOn(platform);

  await time.run(async () => {
    let corridor = newProcess();
    const running: Promise<void>[] = [];
    for (let index = 0; index < settings.creates; index += 1) {
      await time.wait(-Math.log(1 - chance.next()) * settings.gap);
      if (index % settings.processLife === 0) corridor = newProcess();
      requests.push(request(index));
      running.push(report(corridor, strategy, requests[index] as PaymentCreate, settings).then(async (given) => {
        reports[index] = given;
        if (given.kind !== 'unknown') return;
        await time.wait(60_000);
        resolved.set(index, await reconciled(newProcess(), given.intent));
      }));
    }
    await Promise.all(running);
    for (const [intentId, wasMade] of await recovered(newProcess(), reports)) atTheEnd.set(intentId, wasMade);
  });

  const there = idsByQuote(platform);
  const idsOf = (index: number): readonly string[] => there.get(requests[index]?.paymentQuoteId ?? '') ?? [];
  const count = (holds: (given: Report, ids: readonly string[], index: number) => boolean): number => reports.filter((given, index) => holds(given, idsOf(index), index)).length;
  return {
    strategy, settings,
    made: count(({ kind }) => kind === 'made'),
    recovered: count((given) => given.kind === 'made' && given.recovered),
    failed: count(({ kind }) => kind === 'failed'),
    unknown: count(({ kind }) => kind === 'unknown'),
    unknownMade: count(({ kind }, ids) => kind === 'unknown' && ids.length > 0),
    duplicates: reports.reduce((sum, _, index) => sum + Math.max(0, idsOf(index).length - 1), 0),
    falseFailures: count(({ kind }, ids) => kind === 'failed' && ids.length > 0),
    falseSuccesses: count((given, ids) => given.kind === 'made' && !ids.includes(given.paymentId)),
    wronglyResolved: count((given, ids, index) => given.kind === 'unknown' && [resolved.get(index), atTheEnd.get(given.intent)].some((wasMade) => wasMade !== ids.length > 0)),
    unforeseen: reports.flatMap((given) => (given.kind === 'unforeseen' ? [given.what] : [])),
    posts: network.counts.creates,
    lists: network.counts.lists,
    faults: network.counts.faults,
    hours: (time.now() - began) / 3_600_000,
  };
}

function requestsOn(platform: MockPlatform): (index: number) => PaymentCreate {
  const customerId = platform.customers.add().id;
  const beneficiaryId = platform.beneficiaries.add({ customerId }).id;
  const documentIds = [platform.documents.add({ customerId }).id];
  return (index) => ({
    customerId, beneficiaryId, documentIds, paymentQuoteId: platform.quotes.add({ customerId }).id, internalReference: `order-${index}`,
    amount: `${100 + index}.00`, currencyCode: 'USD', purposeOfPayment: 'Goods',
  });
}

function idsByQuote(platform: MockPlatform): Map<string, string[]> {
  const byQuote = new Map<string, string[]>();
  for (const { id, paymentQuoteId } of platform.payments.all()) byQuote.set(paymentQuoteId ?? '', [...(byQuote.get(paymentQuoteId ?? '') ?? []), id]);
  return byQuote;
}

async function report(corridor: Corridor, strategy: Strategy, request: PaymentCreate, { settleWindow }: Settings): Promise<Report> {
  try {
    if (strategy === 'naive retry') return { kind: 'made', paymentId: await naively(corridor, request), recovered: false };
    const resend = strategy === 'createOnce' ? 'never' : 'after-settle-window';
    const { payment, recovered } = await untilSent(() => corridor.payments.createOnce(request, { settleWindow, resend }));
    return { kind: 'made', paymentId: payment.id, recovered };
  } catch (error) {
    if (error instanceof PaymentOutcomeUnknownError) return { kind: 'unknown', intent: JSON.stringify(error.intent) };
    if (strategy === 'naive retry') return { kind: 'failed' };
    if (error instanceof CorridorError && (error.outcome === 'not-sent' || error.outcome === 'rejected')) return { kind: 'failed' };
    return { kind: 'unforeseen', what: String(error) };
  }
}

/** What never left may be tried again. */
async function untilSent<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 3 || !(error instanceof CorridorError) || error.outcome !== 'not-sent') throw error;
    }
  }
}

/** What one writes who does not think of lost answers: try three times. */
async function naively(corridor: Corridor, request: PaymentCreate): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await corridor.payments.create(request, { retries: 0 })).id;
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

/** Whether reconcile finds the payment of a stored intent, in another process. */
async function reconciled(corridor: Corridor, intent: string): Promise<boolean> {
  return (await untilAnswered(() => corridor.payments.reconcile(JSON.parse(intent) as StoredIntent))).outcome === 'created';
}

/** Whether recover, at the end of it all, finds the payments of all stored intents. */
async function recovered(corridor: Corridor, reports: readonly Report[]): Promise<Map<string, boolean>> {
  const intents = reports.flatMap((given) => (given.kind === 'unknown' ? [given.intent] : []));
  const recoveries = await untilAnswered(() => corridor.payments.recover(intents.map((intent) => JSON.parse(intent) as StoredIntent)));
  return new Map(recoveries.map(({ outcome }, index) => [intents[index] ?? '', outcome === 'created']));
}

/** A list that fails says nothing: it is asked again. */
async function untilAnswered<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}
