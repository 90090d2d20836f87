import type { CorridorOptions } from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer, type ServeOptions } from 'corridor-sdk/mock/node';
import { updatePlatformFile, type PlatformFile } from '../../../src/cli/verify/platform-file.ts';
import { probes } from '../../../src/cli/verify/probes/index.ts';
import { runProbes, type ProbeResult } from '../../../src/cli/verify/probe.ts';
import { Session, type Writes } from '../../../src/cli/verify/session.ts';

/** A served platform with records of every kind that `corridor verify` reads or uses. */
export interface VerifiablePlatform {
  readonly served: MockPlatformServer;
  readonly platform: MockPlatform;
  /** All that a run may use. */
  readonly writes: Writes | undefined;
}

/** How a platform is prepared for a run. */
export interface Preparation {
  /** Adds records that show the turned behavior. */
  readonly prepare?: ((platform: MockPlatform) => void) | undefined;
  /** The amount of the payment; null if the mock cannot make a payment with its dialect. */
  readonly amount?: string | null | undefined;
}

/** Serves a platform. */
export async function serveVerifiable(
  options: ServeOptions,
  { prepare, amount = '12.50' }: Preparation = {},
): Promise<VerifiablePlatform> {
  const served = await serveMockPlatform(options);
  const { platform } = served;
  // What a run measures must not depend on how fast this machine is.
  platform.clock.freeze();
  platform.populate({ customers: 4, beneficiaries: 4, persons: 0, payments: 40, quotes: 0, documents: 1, tickets: 0 });
  prepare?.(platform);
  const writes = amount === null ? { payment: undefined, quotes: [] } : payable(platform, amount);
  return { served, platform, writes };
}

/** Adds the records of a payment, with two quotes, and beneficiaries that it cannot be paid to. */
function payable(platform: MockPlatform, amount: string): Writes {
  const { paymentQuoteId, documentIds, ...payment } = platform.payments.createParams({ amount, currencyCode: 'MXN' });
  const { customerId, currencyCode } = payment;
  platform.beneficiaries.add({ customerId, status: 'SUSPENDED' });
  const second = platform.quotes.add({ customerId, paymentAmount: amount, paymentCurrencyCode: currencyCode });
  return { payment: { ...payment, documentIds }, quotes: [paymentQuoteId, second.id] };
}

/** The result of a run. */
export interface Verified {
  readonly results: readonly ProbeResult[];
  readonly problem: string | undefined;
  readonly session: Session;
  /** The file that the run writes. */
  readonly file: PlatformFile;
}

/** Runs all probes. Time passes on the clock of the platform instead of real time. */
export async function verifyPlatform(
  { served, platform, writes }: VerifiablePlatform,
  recorded?: PlatformFile,
  fetch?: CorridorOptions['fetch'],
): Promise<Verified> {
  const session = new Session({
    writes,
    client: { ...served.clientOptions(), ...(fetch !== undefined && { fetch }), sleep: platform.clientOptions().sleep },
    signal: new AbortController().signal,
    sleep: async (milliseconds) => platform.clock.advance({ seconds: milliseconds / 1000 }),
  });
  const { results, problem } = await runProbes(session, probes);
  return { results, problem, session, file: updatePlatformFile(recorded, results) };
}

/** Returns the results of a row, as texts. */
export const evidenceOf = ({ results }: Verified, row: string, question = ''): readonly string[] =>
  results
    .filter(({ key }) => key.startsWith(`${row}: `) && key.includes(question))
    .map(({ verdict, evidence }) => `${verdict}: ${evidence}`);
