import { expect, test } from 'vitest';
import {
  compareWith,
  updatePlatformFile,
  type Measurement,
  type PlatformFile,
} from '../../../src/cli/verify/platform-file.ts';
import type { Measured } from '../../../src/mock/upstream/probes.ts';
import { inFrontOfMock } from '../../mock/upstream/fixture.ts';
import { evidenceOf, serveVerifiable, verifyPlatform, type Verified } from './platform.ts';

const resultOf = (
  verdict: Measurement['verdict'],
  measured: Measured,
  question: Pick<Measurement, 'key' | 'isSample'>,
): Measurement => ({ ...question, verdict, measured });

const lag = (seconds: number): Measurement =>
  resultOf('contradicted', { 'behavior.listLag': { seconds } }, { key: 'A-11: how long lists lag', isSample: false });

test('a measured delay has changed only if it is much longer or shorter', () => {
  const file = updatePlatformFile(undefined, [lag(2)]);

  expect(file.behavior).toEqual({ listLag: { seconds: 2 } });
  const comparisons = [1, 2, 6, 20].map((seconds) => compareWith(file, lag(seconds)));
  expect(comparisons).toEqual(['recorded', 'recorded', 'recorded', 'changed']);
  expect(updatePlatformFile(file, [lag(20)]).behavior).toEqual({ listLag: { seconds: 20 } });
});

test('a contradiction that a later sample does not show stays in the file', () => {
  const row = { key: 'A-22: the content of a string field', isSample: true };
  const before = updatePlatformFile(undefined, [resultOf('contradicted', {}, row)]);
  const later = resultOf('confirmed', {}, row);

  expect(compareWith(before, later)).toBe('recorded');
  expect(updatePlatformFile(before, [later])).toEqual(before);
});

test('an error that a run did not provoke keeps its status', () => {
  const row = { key: 'A-36: the statuses of errors', isSample: true } as const;
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
    .filter(({ key }) => key.startsWith(`${row}: `) && key.includes(question))
    .map((result) => compareWith(file, result));

test('what a platform is idempotent by stays in the file if only one quote is passed', async () => {
  const first = await serveVerifiable({ idempotency: 'by-reference' });
  const { file } = await verifyPlatform(first);
  await first.served.close();
  const second = await serveVerifiable({ idempotency: 'by-reference' });
  const { writes } = second;
  const verified = await verifyPlatform(
    {
      ...second,
      writes: writes && { ...writes, quotes: writes.quotes.slice(0, 1) },
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

test('what verify measured with requests of its own stays in the file after traffic that does not show it', async () => {
  const { corridor, real, proxy } = await inFrontOfMock({
    successStatuses: { 'customers.list': 202, 'payments.create': 200 },
  });
  await corridor.customers.list();
  await corridor.payments.create(real.payments.createParams());
  await corridor.payments.list();
  const recorded: PlatformFile = {
    version: 1,
    dialect: { amountFormat: { decimals: 2 } },
    behavior: { listLag: { seconds: 40 } },
    rows: { 'A-18: the format of an amount': 'contradicted', 'A-11: how long lists lag': 'contradicted' },
  };

  const rows = proxy.platform.upstream?.().rows ?? [];
  const { dialect, behavior } = updatePlatformFile(
    recorded,
    rows.map((row) => ({ ...row, isSample: true })),
  );

  expect(dialect).toEqual(recorded.dialect);
  expect(behavior).toEqual({
    listLag: { seconds: 40 },
    successStatuses: { 'customers.list': 202, 'payments.create': 200 },
  });
});

test('what only a run with payments sees is no change in a run without them', async () => {
  const verifiable = await serveVerifiable({ successStatuses: { 'payments.create': 200 } });
  const { file } = await verifyPlatform(verifiable);
  // The errors of writes have another shape than those of reads.
  const mixed = await verifyPlatform(verifiable, undefined, async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    if (request.method !== 'POST' || response.status < 400) return response;
    return Response.json({ error: await response.json() }, { status: response.status });
  });
  const reads = await verifyPlatform({ ...verifiable, writes: undefined }, file);
  await verifiable.served.close();

  expect(file.behavior).toEqual({ successStatuses: { 'payments.create': 200 } });
  expect(comparisonsOf(reads, file, 'A-3', 'success')).toEqual(['recorded']);
  expect(reads.file).toEqual(file);
  expect(comparisonsOf(reads, mixed.file, 'A-6', 'errors')).toEqual(['recorded']);
});
