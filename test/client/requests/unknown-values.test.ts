import { expect, test } from 'vitest';
import {
  InvalidRequestError,
  unknownValue,
  type Corridor,
  type PaymentCreateIntent,
  type PaymentCreateParams,
  type PaymentExportParams,
} from 'corridor-sdk';
import { failureOf } from '../../support/failure-of.ts';
import { scripted, silent } from '../../support/scripted-fetch.ts';

const onHold = unknownValue('STATUS_OF_TESTS');
const payment: PaymentCreateParams = {
  customerId: 'cus_1',
  beneficiaryId: 'ben_1',
  amount: '12.345',
  currencyCode: unknownValue('EUR'),
  purposeOfPayment: 'Goods',
  documentIds: ['doc_1'],
  paymentQuoteId: 'quo_1',
};
const range = { createdFrom: '2026-01-01T00:00Z', createdTo: '2026-01-31T00:00Z' };

test.each<[string, (corridor: Corridor) => PromiseLike<unknown>]>([
  ['payments.list', ({ payments }) => payments.list({ status: onHold })],
  ['customers.list', ({ customers }) => customers.list({ status: onHold })],
  ['customers.beneficiaries', ({ customers }) => customers.beneficiaries('cus_1', { status: onHold })],
  [
    'payments.export',
    ({ payments }) =>
      payments
        .export({ ...range, status: onHold })
        .pages()
        .next(),
  ],
  ['payments.planExport', ({ payments }) => payments.planExport({ ...range, status: onHold })],
])('%s filters by a status that this version does not know', async (_, call) => {
  const { corridor, sent } = scripted(() => ({ items: [], nextCursor: null, hasMore: false }));
  await call(corridor);
  expect(sent.map(({ url }) => url.searchParams.get('status'))).toEqual(['STATUS_OF_TESTS']);
});

test('a span of a planned export can be stored as JSON', async () => {
  const { corridor, sent } = scripted(() => ({ items: [], nextCursor: null, hasMore: false }));
  const spans = await corridor.payments.planExport({ ...range, status: onHold });
  const stored = JSON.parse(JSON.stringify(spans)) as PaymentExportParams[];
  await corridor.payments.export(stored[0]).pages().next();
  expect(sent.map(({ url }) => url.searchParams.get('status'))).toEqual(['STATUS_OF_TESTS', 'STATUS_OF_TESTS']);
});

test.each(['create', 'createOnce'] as const)('%s sends a currency that this version does not know', async (method) => {
  const { corridor, sent } = scripted(({ body }) => Response.json({ id: 'pay_1', ...(body as object) }));
  const intents: PaymentCreateIntent[] = [];
  // An error there stops the call before it sends.
  const onIntent = (intent: PaymentCreateIntent): Promise<never> => {
    intents.push(intent);
    return Promise.reject(new Error('enough'));
  };
  const options = method === 'createOnce' ? { onIntent } : {};
  await failureOf(corridor.payments[method](payment, options));
  const body = method === 'create' ? sent[0]?.body : intents[0]?.request;
  expect(body).toEqual({ ...payment, currencyCode: 'EUR' });
});

test.each([
  { ...payment, memo: unknownValue('memo') },
  { ...payment, amount: unknownValue('1.00') },
  { ...payment, currencyCode: { unknownValue: '' } },
  { ...payment, currencyCode: { unknownValue: 'EUR', more: true } },
  { ...payment, currencyCode: 'EUR' },
])('nothing else can be marked as unknown: %j', async (invalid) => {
  const { corridor, sent } = silent();
  expect(await failureOf(corridor.payments.create(invalid as PaymentCreateParams))).toBeInstanceOf(InvalidRequestError);
  expect(sent).toEqual([]);
});

test('unknownValue rejects what is no value of the platform', () => {
  expect(() => unknownValue('')).toThrow(/^unknownValue: value must be a non-empty string .*Pass the value/);
  expect(() => unknownValue(undefined as never)).toThrow(TypeError);
});
