import {
  Corridor,
  CorridorError,
  PaymentOutcomeUnknownError,
  type PaymentCreateParams,
  type StoredIntent,
} from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { RandomSource } from './random-source.ts';
import { FaultyNetwork } from './faulty-network.ts';
import type { Settings } from './settings.ts';
import { virtualOptions, VirtualTime } from './virtual-time.ts';

/** How payments are created: with `createOnce`, with `createOnce` and resend, or with three unconditional attempts. */
export type Strategy = 'createOnce' | 'createOnce, resend' | 'naive retry';

/** The results of a simulation. */
export interface Tally {
  readonly strategy: Strategy;
  readonly settings: Settings;
  /** Reported as created; of these, found in the list. */
  readonly made: number;
  readonly recovered: number;
  /** Reported as not created. */
  readonly failed: number;
  /** Reported as unknown; of these, actually created. */
  readonly unknown: number;
  readonly unknownMade: number;
  /** Payments beyond the first for one quote. */
  readonly duplicates: number;
  /** Reported as not created, but exists. */
  readonly falseFailures: number;
  /** Reported as created, but missing or with another id. */
  readonly falseSuccesses: number;
  /** Reported as unknown, and resolved wrongly by reconcile a minute later or reconcilePending at the end. */
  readonly wronglyResolved: number;
  /** Ended with an unexpected error. */
  readonly unexpected: readonly string[];
  readonly posts: number;
  readonly lists: number;
  readonly faults: ReadonlyMap<string, number>;
  /** The virtual time, in hours. */
  readonly hours: number;
}

type Report =
  | { readonly kind: 'made'; readonly paymentId: string; readonly recovered: boolean }
  | { readonly kind: 'failed' }
  | { readonly kind: 'unknown'; readonly intent: string }
  | { readonly kind: 'unexpected'; readonly what: string };

/**
 * Creates many payments over a faulty network, in virtual time, and compares the reported results with the platform's
 * payments.
 */
export async function simulate(strategy: Strategy, settings: Settings): Promise<Tally> {
  const time = new VirtualTime();
  const began = time.now();
  const platform = createMockPlatform({
    seed: settings.seed,
    quotes: settings.quotes,
    now: () => time.now() + settings.skew,
  });
  const network = new FaultyNetwork(time, platform, settings);
  const newProcess = (): Corridor =>
    new Corridor({
      ...platform.clientOptions(),
      ...virtualOptions(time, network.fetch),
      timeout: settings.timeout,
      tokenLifetime: settings.tokenLifetime,
    });
  const requests: PaymentCreateParams[] = [];
  const reports: Report[] = [];
  const resolved = new Map<number, boolean>();
  const atTheEnd = new Map<string, boolean>();
  const random = new RandomSource(settings.seed);
  const request = requestsOn(platform);

  await time.run(async () => {
    let corridor = newProcess();
    const running: Promise<void>[] = [];
    for (let index = 0; index < settings.creates; index += 1) {
      await time.wait(-Math.log(1 - random.next()) * settings.gap);
      if (index % settings.processLife === 0) corridor = newProcess();
      requests.push(request(index));
      running.push(
        report(corridor, strategy, requests[index] as PaymentCreateParams, settings).then(async (report) => {
          reports[index] = report;
          if (report.kind !== 'unknown') return;
          await time.wait(60_000);
          resolved.set(index, await reconciled(newProcess(), report.intent));
        }),
      );
    }
    await Promise.all(running);
    for (const [intentId, wasMade] of await recovered(newProcess(), reports)) atTheEnd.set(intentId, wasMade);
  });

  const there = idsByQuote(platform);
  const idsOf = (index: number): readonly string[] => there.get(requests[index]?.paymentQuoteId ?? '') ?? [];
  const count = (holds: (report: Report, ids: readonly string[], index: number) => boolean): number =>
    reports.filter((report, index) => holds(report, idsOf(index), index)).length;
  return {
    strategy,
    settings,
    made: count(({ kind }) => kind === 'made'),
    recovered: count((report) => report.kind === 'made' && report.recovered),
    failed: count(({ kind }) => kind === 'failed'),
    unknown: count(({ kind }) => kind === 'unknown'),
    unknownMade: count(({ kind }, ids) => kind === 'unknown' && ids.length > 0),
    duplicates: reports.reduce((sum, _, index) => sum + Math.max(0, idsOf(index).length - 1), 0),
    falseFailures: count(({ kind }, ids) => kind === 'failed' && ids.length > 0),
    falseSuccesses: count((report, ids) => report.kind === 'made' && !ids.includes(report.paymentId)),
    wronglyResolved: count(
      (report, ids, index) =>
        report.kind === 'unknown' &&
        [resolved.get(index), atTheEnd.get(report.intent)].some((wasMade) => wasMade !== ids.length > 0),
    ),
    unexpected: reports.flatMap((report) => (report.kind === 'unexpected' ? [report.what] : [])),
    posts: network.counts.creates,
    lists: network.counts.lists,
    faults: network.counts.faults,
    hours: (time.now() - began) / 3_600_000,
  };
}

function requestsOn(platform: MockPlatform): (index: number) => PaymentCreateParams {
  const customerId = platform.customers.add().id;
  const beneficiaryId = platform.beneficiaries.add({ customerId, currencyCode: 'USD' }).id;
  const documentIds = [platform.documents.add({ customerId }).id];
  return (index) =>
    platform.payments.createParams({
      customerId,
      beneficiaryId,
      documentIds,
      internalReference: `order-${index}`,
      amount: `${100 + index}.00`,
    });
}

function idsByQuote(platform: MockPlatform): Map<string, string[]> {
  const byQuote = new Map<string, string[]>();
  for (const { id, paymentQuoteId } of platform.payments.all())
    byQuote.set(paymentQuoteId ?? '', [...(byQuote.get(paymentQuoteId ?? '') ?? []), id]);
  return byQuote;
}

async function report(
  corridor: Corridor,
  strategy: Strategy,
  request: PaymentCreateParams,
  { consistencyWindow }: Settings,
): Promise<Report> {
  try {
    if (strategy === 'naive retry')
      return { kind: 'made', paymentId: await naively(corridor, request), recovered: false };
    const resend = strategy === 'createOnce' ? 'never' : 'after-consistency-window';
    const { payment, recovered } = await untilSent(() =>
      corridor.payments.createOnce(request, { consistencyWindow, resend }),
    );
    return { kind: 'made', paymentId: payment.id, recovered };
  } catch (error) {
    if (error instanceof PaymentOutcomeUnknownError) return { kind: 'unknown', intent: JSON.stringify(error.intent) };
    if (strategy === 'naive retry') return { kind: 'failed' };
    if (error instanceof CorridorError && (error.outcome === 'not-sent' || error.outcome === 'rejected'))
      return { kind: 'failed' };
    return { kind: 'unexpected', what: String(error) };
  }
}

/** Retries a request that was not sent. */
async function untilSent<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 3 || !(error instanceof CorridorError) || error.outcome !== 'not-sent') throw error;
    }
  }
}

/** A naive client that ignores lost responses: tries three times. */
async function naively(corridor: Corridor, request: PaymentCreateParams): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await corridor.payments.create(request, { maxRetries: 0 })).id;
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

/** Reports whether reconcile finds the payment of a stored intent in another process. */
async function reconciled(corridor: Corridor, intent: string): Promise<boolean> {
  return (
    (await untilResponse(() => corridor.payments.reconcile(JSON.parse(intent) as StoredIntent))).status === 'created'
  );
}

/** Reports for each stored intent whether reconcilePending finds its payment at the end. */
async function recovered(corridor: Corridor, reports: readonly Report[]): Promise<Map<string, boolean>> {
  const intents = reports.flatMap((report) => (report.kind === 'unknown' ? [report.intent] : []));
  const recoveries = await untilResponse(() =>
    corridor.payments.reconcilePending(intents.map((intent) => JSON.parse(intent) as StoredIntent)),
  );
  return new Map(recoveries.map(({ status }, index) => [intents[index] ?? '', status === 'created']));
}

/** Repeats a read that fails, because a failed list proves nothing. */
async function untilResponse<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}
