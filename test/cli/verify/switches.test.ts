import type { AmountFormat } from 'corridor-sdk';
import { createMockPlatform, type MeasuredPlatform, type MockAssumption } from 'corridor-sdk/mock';
import type { ServeOptions } from 'corridor-sdk/mock/node';
import { describe, expect, test } from 'vitest';
import { behaviorTable } from '../../../src/mock/base/mock-options.ts';
import { probes } from '../../../src/cli/verify/probes/index.ts';
import { serveVerifiable, verifyPlatform, type Preparation, type Verified } from './platform.ts';

/** A switch in one position, and what shows it. */
interface Turn extends Preparation {
  readonly options: ServeOptions;
  /** Why no request can show it: then nothing may be reported. */
  readonly undetectable?: string;
}

const defaults = createMockPlatform().assumptions();
const names = [...new Set(defaults.flatMap(({ option }) => option ?? []))];

function amountTurn(amountFormat: AmountFormat, amount: string | null): Turn {
  return { options: { dialect: { amountFormat } }, amount };
}

/** The errors whose statuses a run shows. The others need a payment with real, but unsuitable records. */
const detectableErrors = [
  'invalid_query',
  'invalid_cursor',
  'invalid_body',
  'not_found',
  'unknown_endpoint',
  'quote_used',
  'customer_not_found',
  'customer_not_approved',
  'beneficiary_not_found',
  'beneficiary_not_approved',
  'quote_not_found',
  'quote_mismatch',
];

/** The positions of the switches that are no enumeration. */
const turns: Readonly<Record<string, readonly Turn[]>> = {
  dialect: [
    ...['state', 'filter[status]'].map((status) => ({ options: { dialect: { filterNames: { status } } } })),
    { options: { dialect: { filterNames: { createdFrom: 'created_after', createdTo: 'created_before' } } } },
    { options: { dialect: { filterNames: { limit: 'page_size', cursor: 'starting_after' } } } },
    { options: { dialect: { requestIdHeaders: ['x-trace-id'] } } },
    amountTurn({ decimals: 2 }, '12.50'),
    amountTurn({ decimals: 0 }, '12'),
    // The quotes of the mock have no comma.
    amountTurn({ decimals: 2, separator: ',' }, null),
    amountTurn({ separator: ',' }, null),
  ],
  // How a key is registered is no behavior: a run uses a registered one.
  publicKey: [],
  successStatuses: [{ options: { successStatuses: { 'payments.list': 202 } } }],
  transitions: [
    {
      options: { transitions: { customers: { REJECTED: ['APPROVED'] } } },
      undetectable: 'payments and beneficiaries have no activity',
    },
  ],
  listLag: [{ options: { listLag: { seconds: 2 } } }, { options: { listLag: { seconds: 40 } } }],
  rateLimit: [
    {
      options: { rateLimit: { requests: 1000, per: { minutes: 1 } } },
      undetectable: 'a run does not reach the limit',
    },
  ],
  quoteLifetime: [{ options: { quoteLifetime: 120 }, undetectable: 'no quote is requested' }],
  urlLifetime: [{ options: { urlLifetime: 60 }, undetectable: 'no URL is requested after some time' }],
  pageSize: [{ options: { pageSize: 10 }, undetectable: 'the client accepts any page' }],
  createdStatus: [{ options: { createdStatus: 'APPROVED' } }],
  paymentHold: [{ options: { paymentHold: 'reject' }, undetectable: 'it would need a person with a payment hold' }],
  errorStatuses: detectableErrors.map((code) => ({
    options: { errorStatuses: { [code]: code === 'not_found' || code === 'unknown_endpoint' ? 400 : 404 } },
  })),
  receiptStatuses: [
    { options: { receiptStatuses: ['COMPLETED'] }, undetectable: 'the client accepts payments without a receipt' },
  ],
  clockTolerance: [{ options: { clockTolerance: 0 }, undetectable: 'tokens are never issued in the future' }],
  receiptLifetime: [{ options: { receiptLifetime: 600 }, undetectable: 'no URL is requested after some time' }],
  maxRequestBytes: [
    { options: { maxRequestBytes: 256 * 1024 }, undetectable: 'no request of the client is that large' },
  ],
};

/** Returns every other position of a switch that is an enumeration. */
function enumerationTurns(option: string): Turn[] {
  const schema = (behaviorTable as Readonly<Record<string, { schema(): unknown }>>)[option]?.schema() as
    | { readonly def?: { readonly entries?: Readonly<Record<string, string>> } }
    | undefined;
  const platform = createMockPlatform().assumptions();
  return Object.values(schema?.def?.entries ?? {})
    .filter((position) => !platform.some((each) => each.option === option && each.value === position))
    .map((position) => ({ options: { [option]: position } }));
}

const turnsOf = (option: string): readonly Turn[] => turns[option] ?? enumerationTurns(option);

/** Returns the questions whose value differs from the default. */
function turnedQuestions(assumptions: readonly MockAssumption[]): string[] {
  return questionsWhere(assumptions, (assumption, index) => !isSame(assumption.value, defaults[index]?.value));
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function questionsWhere(
  assumptions: readonly MockAssumption[],
  isExpected: (assumption: MockAssumption, index: number) => boolean,
): string[] {
  return assumptions.filter(isExpected).map(({ id, question }) => `${id}: ${question}`);
}

const contradictedBy = ({ results }: Verified): string[] =>
  results.filter(({ verdict }) => verdict === 'contradicted').map(({ key }) => key);

test('the questions of the probes are questions of the mock', () => {
  const questions = defaults.map(({ id, question }) => `${id}: ${question}`);
  expect(questions).toEqual(expect.arrayContaining(probes.flatMap((probe) => probe.questions.map(({ key }) => key))));
});

test('every switch of the mock is turned below', () => {
  expect(names.filter((name) => name !== 'publicKey' && turnsOf(name).length === 0)).toEqual([]);
});

test('nothing is contradicted if no switch is turned, and every probe with records has a conclusion', async () => {
  const served = await serveVerifiable({});
  const verified = await verifyPlatform(served);
  await served.served.close();

  expect(verified.problem).toBeUndefined();
  expect(contradictedBy(verified)).toEqual([]);
  expect(verified.results.filter(({ verdict }) => verdict === 'not seen').map(({ key }) => key.split(':')[0])).toEqual([
    'A-2',
    'A-2',
    'A-5',
    'A-9',
    'A-10',
    'A-12',
    'A-12',
    'A-17',
    'A-19',
    'A-19',
    'A-20',
    'A-21',
    'A-23',
    'A-24',
    'A-26',
    'A-27',
    'A-29',
    'A-30',
    'A-34',
    'A-37',
    'A-37',
    'A-38',
    'A-39',
  ]);
});

describe.each(names.filter((name) => turnsOf(name).length > 0))('the switch %s', (name) => {
  test.each(turnsOf(name).map((turn) => [JSON.stringify(turn.options), turn] as const))(
    '%s is found, and nothing else is reported',
    async (_, { options, undetectable, ...preparation }) => {
      const served = await serveVerifiable(options, preparation);
      const turned = served.platform.assumptions();
      const verified = await verifyPlatform(served);
      await served.served.close();

      expect(verified.problem).toBeUndefined();
      expect(contradictedBy(verified)).toEqual(undetectable === undefined ? turnedQuestions(turned) : []);
      // A mock with the written file behaves as the platform does.
      const fromFile = createMockPlatform({
        platform: JSON.parse(JSON.stringify(verified.file)) as MeasuredPlatform,
      }).assumptions();
      if (undetectable === undefined) expect(fromFile).toEqual(turned);
    },
  );
});
