import type * as z from 'zod';
import { dialectOptions, resolveDialect, type Dialect } from '../contract/dialect.js';
import { formatIssues } from '../contract/issue.js';
import { validateRequest } from '../contract/violations.js';
import * as beneficiaries from '../contract/schema/beneficiaries.js';
import * as crypto from '../contract/schema/crypto.js';
import * as customers from '../contract/schema/customers.js';
import * as payments from '../contract/schema/payments.js';
import type { Schema } from '../contract/schema/schema.js';
import * as screening from '../contract/schema/screening.js';
import * as support from '../contract/schema/support.js';
import { deriveObject } from './derive.js';

/** Maps each field of `T` to a schema of its type. */
export type FieldSchemas<T> = {
  -readonly [K in keyof T]-?: {} extends Pick<T, K>
    ? { readonly [P in K]: undefined } extends Pick<T, K>
      ? z.ZodOptional<FieldSchema<T[K]>>
      : z.ZodExactOptional<FieldSchema<T[K]>>
    : FieldSchema<T[K]>;
};

/** The schema of a field that is present. */
export type FieldSchema<V> = z.ZodType<Exclude<V, undefined>, Exclude<V, undefined>>;

/** A zod schema, and thereby a Standard Schema, of the values of `T`. Its fields are built on first use. */
export interface ObjectSchema<T> extends z.ZodObject<FieldSchemas<T>> {}

/** A schema of a request: it accepts what the client sends, with the messages of an `InvalidRequestError`. */
const request = <T>(contract: () => unknown): ObjectSchema<T> =>
  deriveObject(contract as Schema<unknown>, 'request') as unknown as ObjectSchema<T>;

const strictSchemas = new WeakMap<object, Schema<unknown>>();

/** A schema of a record: it accepts what the client returns, with the messages of an `InvalidResponseError`. */
function record<T>(contract: Schema<T>): ObjectSchema<T> {
  const schema = deriveObject(contract, 'open') as unknown as ObjectSchema<T>;
  strictSchemas.set(schema, contract);
  return schema;
}

/**
 * Returns the schema of a record that accepts nothing unknown: no other fields, values, variants and nulls, as a client
 * does with `validation: 'strict'`.
 *
 * @throws TypeError if the schema is not one of this module's records.
 * @example
 * ```ts
 * import { payment, strict } from 'corridor-sdk/schemas';
 * const isKnown = strict(payment).pick({ status: true }).safeParse({ status: 'ON_HOLD' }).success; // false
 * ```
 */
export function strict<T>(schema: ObjectSchema<T>): ObjectSchema<T> {
  const contract = strictSchemas.get(schema);
  if (contract === undefined)
    throw new TypeError(
      "strict: schema must be a record's schema of corridor-sdk/schemas, such as payment. " +
        'Change the result instead: strict(payment).pick({ id: true })',
    );
  return deriveObject(contract, 'strict') as unknown as ObjectSchema<T>;
}

/**
 * The body of `payments.create`, with its amount in the decimals of its currency.
 *
 * @example
 * ```ts
 * import { paymentCreateParams } from 'corridor-sdk/schemas';
 *
 * const order = paymentCreateParams.omit({ internalReference: true });
 * const { error } = order.safeParse({ customerId: 'cus_1', amount: 1250 });
 * for (const { path, message } of error?.issues ?? []) console.log(path.join('.'), message);
 * ```
 */
export const paymentCreateParams: ObjectSchema<payments.PaymentCreateParams> = /* @__PURE__ */ paymentCreateParamsOf();

/** Returns the body of `payments.create` for a client with a dialect, whose amounts can have another format. */
export function paymentCreateParamsOf(dialect?: Dialect): ObjectSchema<payments.PaymentCreateParams> {
  const issues = dialect === undefined ? [] : validateRequest(dialectOptions(), dialect);
  if (issues.length > 0) throw new TypeError(`paymentCreateParamsOf: ${formatIssues(issues, 'dialect')}`);
  return request(() => payments.paymentCreateParams(resolveDialect(dialect)));
}

/** The filters of `payments.list`. A time is a string or a `Date`. */
export const paymentListParams: ObjectSchema<payments.PaymentListParams> = /* @__PURE__ */ request(
  payments.paymentListParams,
);

/** A payment. It has what every endpoint returns of one. */
export const payment: ObjectSchema<payments.Payment> = /* @__PURE__ */ record(payments.payment);

/** A payment that `payments.create` returned. */
export const createdPayment: ObjectSchema<payments.CreatedPayment> = /* @__PURE__ */ record(payments.createdPayment);

/** A payment that `payments.list` returned. */
export const listedPayment: ObjectSchema<payments.ListedPayment> = /* @__PURE__ */ record(payments.listedPayment);

/** The filters of `customers.list`. */
export const customerListParams: ObjectSchema<customers.CustomerListParams> = /* @__PURE__ */ request(
  customers.customerListParams,
);

/** A customer. */
export const customer: ObjectSchema<customers.Customer> = /* @__PURE__ */ record(customers.customer);

/** An entry of a customer's activity. */
export const customerActivity: ObjectSchema<customers.CustomerActivity> = /* @__PURE__ */ record(
  customers.customerActivity,
);

/** The filters of `customers.beneficiaries`. */
export const beneficiaryListParams: ObjectSchema<beneficiaries.BeneficiaryListParams> = /* @__PURE__ */ request(
  beneficiaries.beneficiaryListParams,
);

/** A beneficiary. */
export const beneficiary: ObjectSchema<beneficiaries.Beneficiary> = /* @__PURE__ */ record(beneficiaries.beneficiary);

/** The screening result of a person. */
export const personScreening: ObjectSchema<screening.PersonScreening> = /* @__PURE__ */ record(
  screening.personScreening,
);

/** The filters of `screening.history`. */
export const screeningHistoryParams: ObjectSchema<screening.ScreeningHistoryParams> = /* @__PURE__ */ request(
  screening.screeningHistoryParams,
);

/** One run of a person's screening. */
export const screeningRun: ObjectSchema<screening.ScreeningRun> = /* @__PURE__ */ record(screening.screeningRun);

/** A token on a network with which payments can be funded. */
export const cryptoPaymentMethod: ObjectSchema<crypto.CryptoPaymentMethod> = /* @__PURE__ */ record(
  crypto.cryptoPaymentMethod,
);

/** An enabled blockchain network. */
export const cryptoNetwork: ObjectSchema<crypto.CryptoNetwork> = /* @__PURE__ */ record(crypto.cryptoNetwork);

/** The body of `support.reply`. */
export const supportReplyParams: ObjectSchema<support.SupportReplyParams> = /* @__PURE__ */ request(
  support.supportReplyParams,
);
