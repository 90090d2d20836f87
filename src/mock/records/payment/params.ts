import * as z from 'zod/mini';
import { endpoints } from '../../../contract/endpoints.js';
import { memoize, withMetadata, type Schema } from '../../../contract/schema/schema.js';
import type { PaymentCreateParams } from '../../../contract/schema/payments.js';
import { purpose } from '../../data/names.js';
import { requireValid } from '../../require-valid.js';
import type { OrganizationState } from '../../store/organization.js';
import { addOrRollBack, omitUndefined, requireConforming, timestampNow } from '../builder.js';
import { namedRecords, orderOf, paymentParts, type MockPaymentInput } from './input.js';
import { createPaymentParts } from './needs.js';

/** The input of `payments.createParams`: fields of the request, and fields of the records that are added for it. */
export type MockPaymentParamsInput = {
  readonly [Field in keyof PaymentCreateParams]?: PaymentCreateParams[Field] | undefined;
} & Pick<MockPaymentInput, 'customer' | 'beneficiary' | 'paymentQuote'>;

const call = 'payments.createParams';

const paramsInput: Schema<object> = memoize(() =>
  withMetadata(z.looseObject({}), { rule: "must be an object such as { amount: '1250.00', currencyCode: 'MXN' }" }),
);

/** Adds the records that a payment needs and returns the parameters of `payments.create`. */
export function createParams(organization: OrganizationState, input: MockPaymentParamsInput = {}): PaymentCreateParams {
  requireValid(call, paramsInput, input, 'the input');
  return addOrRollBack(organization, () => {
    const { customer, beneficiary, paymentQuote, ...fields } = input;
    requireValid(
      call,
      paymentParts,
      { customer, beneficiary, paymentQuote, documentIds: fields.documentIds },
      'the input',
    );
    const random = organization.random('params', organization.quotes.next);
    const named = namedRecords(organization, call, input);
    const order = { ...orderOf(random, input, named), createdAt: timestampNow(organization) };
    const parts = createPaymentParts(organization, { call, isPast: false }, input, named, order);
    const params = {
      amount: order.amount,
      currencyCode: order.currencyCode,
      purposeOfPayment: purpose(random),
      ...omitUndefined(fields),
      customerId: parts.customerId,
      beneficiaryId: parts.payee.id,
      documentIds: [...parts.documents],
      paymentQuoteId: parts.quote?.id,
    };
    const { dialect } = organization.platform.options;
    requireConforming(call, () => endpoints['payments.create'].body(dialect), params);
    return params;
  });
}
