import type { MockBehavior } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { compareWith, updatePlatformFile, type PlatformFile } from '../../../src/cli/verify/platform-file.js';
import type { Measured } from '../../../src/cli/verify/measured.js';
import type { ProbeResult, Verdict } from '../../../src/cli/verify/probe.js';
import { evidenceOf, readOnly, serveVerifiable, verifyPlatform, type Verified } from './platform.js';

const resultOf = (
  verdict: Verdict,
  measured: Measured,
  probe: Pick<ProbeResult, 'row' | 'question' | 'isSample'>,
): ProbeResult => ({ ...probe, verdict, evidence: '', measured, flags: [], isFailure: false });

const lag = (seconds: number): ProbeResult =>
  resultOf(
    'contradicted',
    { 'behavior.listLag': { seconds } },
    { row: 'A-11', question: 'how long lists lag', isSample: false },
  );

test('a measured delay has changed only if it is much longer or shorter', () => {
  const file = updatePlatformFile(undefined, [lag(2)]);

  expect(file.behavior).toEqual({ listLag: { seconds: 2 } });
  const comparisons = [1, 2, 6, 20].map((seconds) => compareWith(file, lag(seconds)));
  expect(comparisons).toEqual(['recorded', 'recorded', 'recorded', 'changed']);
  expect(updatePlatformFile(file, [lag(20)]).behavior).toEqual({ listLag: { seconds: 20 } });
});

test('a contradiction that a later sample does not show stays in the file', () => {
  const row = { row: 'A-22', question: 'the content of a string field', isSample: true };
  const before = updatePlatformFile(undefined, [resultOf('contradicted', {}, row)]);
  const later = resultOf('confirmed', {}, row);

  expect(compareWith(before, later)).toBe('recorded');
  expect(updatePlatformFile(before, [later])).toEqual(before);
});

test('an error that a run did not provoke keeps its status', () => {
  const row = { row: 'A-36', question: 'the statuses of errors', isSample: true } as const;
  const [quoteUsed, notFound] = ['behavior.errorStatuses.quote_used', 'behavior.errorStatuses.not_found'] as const;
  const recorded: PlatformFile = updatePlatformFile(undefined, [
    resultOf('contradicted', { [quoteUsed]: 400, [notFound]: undefined }, row),
  ]);
  const unknownRecord = resultOf('confirmed', { [notFound]: undefined }, row);
  const usedQuote = resultOf('confirmed', { [quoteUsed]: undefined }, row);

  expect(recorded.behavior).toEqual({ errorStatuses: { quote_used: 400 } });
  expect(compareWith(recorded, unknownRecord)).toBe('recorded');
  expect(updatePlatformFile(recorded, [unknownRecord])).toEqual(recorded);
  expect(compareWith(recorded, usedQuote)).toBe('changed');
  expect(updatePlatformFile(recorded, [usedQuote]).behavior).toEqual({});
});

/** Returns how the results of a row compare with a file. */
const comparisonsOf = ({ results }: Verified, file: PlatformFile, row: string, question: string): string[] =>
  results
    .filter((result) => result.row === row && result.question.includes(question))
    .map((result) => compareWith(file, result));

const limit = { requests: 20, per: { seconds: 5 } } as const;
const limited: PlatformFile = {
  version: 1,
  dialect: {},
  behavior: { rateLimit: limit },
  rows: { 'A-12: rate limits': 'contradicted' },
};

/** Responds with 429 to some requests of the networks, by their number. */
function limitNetworks(isLimited: (count: number) => boolean, headers: Readonly<Record<string, string>>) {
  let count = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const isCounted = request.url.includes('/crypto/networks');
    if (isCounted) count += 1;
    return isCounted && isLimited(count)
      ? Response.json({ code: 'rate_limited', message: 'slow down' }, { status: 429, headers })
      : globalThis.fetch(request);
  };
  return fetch;
}

test.each([
  ['no Retry-After', (count: number) => count > 9, {}, 'Retry-After missing'],
  ['a Retry-After that is too long', (count: number) => count > 9, { 'retry-after': '600' }, 'Retry-After 600'],
  ['no 429 in the second burst', (count: number) => count === 10, { 'retry-after': '1' }, 'no 429 within 40 requests'],
])('a recorded limit stays in the file with %s', async (_, isLimited, headers, evidence) => {
  const { served, platform, settings } = await serveVerifiable({});
  const verified = await verifyPlatform(
    { served, platform, settings: { ...settings, writes: undefined } },
    limited,
    limitNetworks(isLimited, headers),
  );
  await served.close();

  expect(evidenceOf(verified, 'A-12', 'rate limits')).toEqual([expect.stringContaining(evidence)]);
  expect(comparisonsOf(verified, limited, 'A-12', 'rate limits')).toEqual(['recorded']);
  expect(verified.file.behavior.rateLimit).toEqual(limit);
});

test('what a platform is idempotent by stays in the file if only one quote is passed', async () => {
  const first = await serveVerifiable({ idempotency: 'by-reference' });
  const { file } = await verifyPlatform(first);
  await first.served.close();
  const second = await serveVerifiable({ idempotency: 'by-reference' });
  const { writes } = second.settings;
  const verified = await verifyPlatform(
    {
      ...second,
      settings: { ...second.settings, writes: writes && { ...writes, quotes: writes.quotes.slice(0, 1) } },
    },
    file,
    async (input, init) => {
      const request = new Request(input, init);
      const text = request.method === 'POST' ? await request.clone().text() : '';
      return /-2"/.test(text)
        ? Response.json({ code: 'quote_used', message: 'used' }, { status: 409 })
        : fetch(request);
    },
  );
  await second.served.close();

  expect(file.behavior.idempotency).toBe('by-reference');
  expect(evidenceOf(verified, 'A-11', 'idempotent')).toEqual([
    expect.stringMatching(/^contradicted: a repeated payment returns the first/),
  ]);
  expect(comparisonsOf(verified, file, 'A-11', 'idempotent')).toEqual(['recorded']);
  expect(verified.file.behavior.idempotency).toBe('by-reference');
});

test('a status with a receipt stays in the file if no listed payment has it', async () => {
  const receiptStatuses: MockBehavior['receiptStatuses'] = ['COMPLETED', 'RETURNED', 'PROCESSING'];
  const verifyWith = async (
    statuses: readonly ('COMPLETED' | 'RETURNED' | 'PROCESSING')[],
    recorded?: PlatformFile,
  ) => {
    const { served, platform } = await serveVerifiable({ receiptStatuses });
    platform.reset();
    for (const status of statuses) platform.payments.add({ status });
    const verified = await verifyPlatform({ served, platform, settings: readOnly }, recorded);
    await served.close();
    return verified;
  };
  const { file } = await verifyWith(['COMPLETED', 'RETURNED', 'PROCESSING']);
  const later = await verifyWith(['COMPLETED', 'RETURNED'], file);

  expect(file.behavior.receiptStatuses).toEqual(receiptStatuses);
  expect(comparisonsOf(later, file, 'A-37', 'when a payment')).toEqual(['recorded']);
  expect(later.file.behavior.receiptStatuses).toEqual(receiptStatuses);
});
