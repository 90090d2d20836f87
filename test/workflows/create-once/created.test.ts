import type { CreateOnceResult, ListedPayment, PaymentCreateParams } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  connectionError,
  errorResponse,
  FaultyPlatform,
  processed,
  processedAs,
} from '../../support/faulty-platform.ts';

const minutes = 60_000;

/** Shows every payment in the list with another `createdAt`. */
function showCreatedAt(faulty: FaultyPlatform, change: (createdAt: string) => string): void {
  faulty.changePage = async (page) => {
    const { items, ...rest } = (await page.json()) as { readonly items: readonly ListedPayment[] };
    const shown = items.map((item) => ({ ...item, createdAt: change(item.createdAt) }));
    return Response.json({ ...rest, items: shown }, { headers: { date: page.headers.get('date') ?? '' } });
  };
}

/** A platform whose response to a creation has other values, and no Date. */
function undated(replaced: object): FaultyPlatform {
  return new FaultyPlatform().onCreate(async (creation) => {
    const payment = (await (await creation.commit()).json()) as object;
    return Response.json({ ...payment, ...replaced }, { status: 201 });
  });
}

/** Creates a payment with a quote that an earlier process used that long ago. */
async function createWithUsedQuote(faulty: FaultyPlatform, ago: number): Promise<CreateOnceResult> {
  const payment = faulty.payable();
  faulty.add(payment);
  await faulty.pass(ago);
  return faulty.run(() => faulty.client().payments.createOnce(payment));
}

describe('`created` is false if the payment is older than the call', () => {
  test.each([10_000, 5 * minutes, 20 * 60 * minutes])(
    'a 409 for a quote that another process used %i ms before',
    async (ago) => {
      expect(await createWithUsedQuote(new FaultyPlatform(), ago)).toMatchObject({ created: false, recovered: true });
    },
  );

  test.each([10 * minutes, -10 * minutes])('a 409 on a machine whose clock is wrong by %i ms', async (skew) => {
    expect(await createWithUsedQuote(new FaultyPlatform({ skew }), 5 * minutes)).toMatchObject({
      created: false,
      recovered: true,
    });
  });

  test('a 201 with the payment that the quote has had for more than an hour', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable', quoteLifetime: 7_200 });
    const payment = faulty.payable();
    const { id, createdAt } = faulty.add(payment);
    await faulty.pass(61 * minutes);
    faulty.onCreate(async (creation) => {
      const response = await creation.commit();
      return Response.json(
        { ...((await response.json()) as object), id, createdAt },
        { status: 201, headers: { date: response.headers.get('date') ?? '' } },
      );
    });
    expect(await faulty.run(() => faulty.client().payments.createOnce(payment))).toMatchObject({
      payment: { id },
      created: false,
      recovered: false,
    });
  });
});

test.each([
  [true, '08:59:57.999', true],
  [true, '08:59:57.998', false],
  [false, '08:54:59.999', true],
  [false, '08:54:59.998', false],
])(
  'a 201 with another reference (with a Date: %s) of %s is new in a call of nine: %s',
  async (isDated, time, isNew) => {
    const replaced = { internalReference: 'other', createdAt: `2026-03-01T${time}Z` };
    const faulty = isDated
      ? new FaultyPlatform().onCreate(processedAs((row) => ({ ...row, ...replaced })))
      : undated(replaced);
    const call = faulty.run(() => faulty.client().payments.createOnce(faulty.payable()));
    expect(await call.catch((error: unknown) => error)).toMatchObject(
      isNew ? { created: true } : { code: 'payment-mismatch', mismatches: ['internalReference'] },
    );
  },
);

test.each([
  [409, '08:59:57.999', true],
  [409, '08:59:57.998', false],
  [409, '09:00:01.999', true],
  [409, '09:00:02.000', false],
  [503, '07:59:59.999', true],
  [503, '07:59:59.998', false],
])('after a %i, a payment of %s is created by a call of nine: %s', async (status, time, created) => {
  const faulty = new FaultyPlatform().onCreate(processed(errorResponse(status)));
  showCreatedAt(faulty, () => `2026-03-01T${time}Z`);
  expect(await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()))).toMatchObject({
    created,
    recovered: true,
  });
});

describe('`created` is true if nothing shows that another call created the payment', () => {
  const createAndLose = async (
    faulty: FaultyPlatform,
    payment: PaymentCreateParams = faulty.payable(),
  ): Promise<CreateOnceResult> => faulty.run(() => faulty.client().payments.createOnce(payment));

  test('a 409 as the response to the POST that created the payment', async () => {
    expect(await createAndLose(new FaultyPlatform().onCreate(processed(errorResponse(409))))).toMatchObject({
      created: true,
      recovered: true,
    });
  });

  test.each([
    ['minutes', (createdAt: string) => `${createdAt.slice(0, 16)}Z`],
    ['days', (createdAt: string) => createdAt.slice(0, 10)],
    ['no zone', (createdAt: string) => createdAt.slice(0, 19).replace('T', ' ')],
    ['no ISO date', () => '01/03/2020 09:00'],
  ])('a `createdAt` with %s', async (_name, change) => {
    const faulty = new FaultyPlatform().onCreate(processed(connectionError('ECONNRESET')));
    showCreatedAt(faulty, change);
    await faulty.pass(42_500);
    expect(await createAndLose(faulty)).toMatchObject({ created: true, recovered: true });
  });
});
