import type { PaymentCreateParams } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import type { MockPlatform } from 'corridor-sdk/mock';
import { payablePayment, platformAtStart, start } from '../fixture.ts';
import { clientOf } from './strict-client.ts';

interface RejectedRequest {
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly change: (platform: MockPlatform, payment: PaymentCreateParams) => Partial<PaymentCreateParams> | void;
}

const rejected: readonly RejectedRequest[] = [
  {
    title: 'an unknown customer',
    status: 422,
    code: 'customer_not_found',
    message: 'customerId cus_ does not exist in this organization',
    change: () => ({ customerId: 'cus_nobody' }),
  },
  {
    title: 'a customer of another organization, like an unknown one',
    status: 422,
    code: 'customer_not_found',
    message: 'customerId cus_ does not exist in this organization',
    change: (platform) => ({ customerId: platform.organization().customers.add().id }),
  },
  {
    title: 'a customer that is not approved',
    status: 422,
    code: 'customer_not_approved',
    message: 'the customer must be APPROVED (it is SUSPENDED)',
    change: (platform, { customerId }) => void platform.customers.transition(customerId, 'SUSPENDED'),
  },
  {
    title: 'an unknown beneficiary',
    status: 422,
    code: 'beneficiary_not_found',
    message: 'beneficiaryId ben_ does not exist for this customer',
    change: () => ({ beneficiaryId: 'ben_nobody' }),
  },
  {
    title: 'a beneficiary of another customer',
    status: 422,
    code: 'beneficiary_not_found',
    message: 'beneficiaryId ben_ does not exist for this customer',
    change: (platform) => ({ beneficiaryId: platform.beneficiaries.add().id }),
  },
  {
    title: 'a beneficiary that is not approved',
    status: 422,
    code: 'beneficiary_not_approved',
    message: 'the beneficiary must be APPROVED (it is SUSPENDED)',
    change: (platform, { beneficiaryId }) => void platform.beneficiaries.transition(beneficiaryId, 'SUSPENDED'),
  },
  {
    title: 'an unknown quote',
    status: 422,
    code: 'quote_not_found',
    message: 'paymentQuoteId quo_ does not exist for this customer',
    change: () => ({ paymentQuoteId: 'quo_nobody' }),
  },
  {
    title: 'a quote of another customer',
    status: 422,
    code: 'quote_not_found',
    message: 'paymentQuoteId quo_ does not exist for this customer',
    change: (platform) => ({ paymentQuoteId: platform.quotes.add().id }),
  },
  {
    title: 'a quote that has expired',
    status: 422,
    code: 'quote_expired',
    message: "the quote expired 0 s ago on the mock's clock",
    change: (platform) => platform.clock.advance({ minutes: 15 }),
  },
  {
    title: 'a quote that expired a while ago',
    status: 422,
    code: 'quote_expired',
    message: "the quote expired 121 s ago on the mock's clock",
    change: (platform) => platform.clock.advance({ minutes: 17, seconds: 1.9 }),
  },
  {
    title: 'an unknown document',
    status: 422,
    code: 'document_not_found',
    message: 'documentIds[1] doc_ does not exist for this customer',
    change: (_, { documentIds }) => ({ documentIds: [...documentIds, 'doc_nowhere'] }),
  },
  {
    title: 'a document of another customer',
    status: 422,
    code: 'document_not_found',
    message: 'documentIds[0] doc_ does not exist for this customer',
    change: (platform) => ({ documentIds: [platform.documents.add().id] }),
  },
  {
    title: 'documents without an invoice',
    status: 422,
    code: 'invoice_required',
    message: 'one of the documents must be an invoice',
    change: (platform, { customerId }) => ({ documentIds: [platform.documents.add({ customerId, kind: 'other' }).id] }),
  },
];

describe('payments.create rejects', () => {
  test.each(rejected)('$title', async ({ status, code, message, change }) => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    const changed = { ...payment, ...change(platform, payment) };
    await expect(clientOf(platform).payments.create(changed)).rejects.toMatchObject({
      status,
      body: {
        code,
        message: expect.stringMatching(
          new RegExp(message.replace(/_ |[()[\]]/g, (text) => (text === '_ ' ? '_\\w+ ' : `\\${text}`))),
        ),
      },
    });
    expect(platform.payments.all()).toEqual([]);
    expect(platform.quotes.get(payment.paymentQuoteId)?.usedAt).toBe(null);
  });

  test('a quote that was used', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    const payment = payablePayment(platform);
    await corridor.payments.create(payment);
    await expect(corridor.payments.create(payment)).rejects.toMatchObject({
      status: 409,
      body: { code: 'quote_used', message: `the quote was used at ${start}` },
    });
  });

  test('a used quote as used even after it expired, so that a client that retries learns of the first payment', async () => {
    const platform = platformAtStart();
    const corridor = clientOf(platform);
    const payment = payablePayment(platform);
    await corridor.payments.create(payment);
    platform.clock.advance({ hours: 1 });
    await expect(corridor.payments.create(payment)).rejects.toMatchObject({
      status: 409,
      body: { code: 'quote_used' },
    });
  });

  test.each([
    [{ amount: '1250.01' }, 'the payment must be for 1250.00 MXN, as quoted (received 1250.01 MXN)'],
    [{ currencyCode: 'USD' }, 'the payment must be for 1250.00 MXN, as quoted (received 1250.00 USD)'],
  ] as const)('%o, which is not as quoted', async (replaced, message) => {
    const platform = platformAtStart();
    const payment = payablePayment(platform, replaced);
    await expect(clientOf(platform).payments.create(payment)).rejects.toMatchObject({
      status: 422,
      body: { code: 'quote_mismatch', message },
    });
  });
});
