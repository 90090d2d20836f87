import type {
  Beneficiary,
  BeneficiaryListParams,
  CreatedPayment,
  CryptoNetwork,
  CryptoPaymentMethod,
  Customer,
  CustomerActivity,
  CustomerListParams,
  ListedPayment,
  Payment,
  PaymentCreateParams,
  PaymentListParams,
  PersonScreening,
  ScreeningHistoryParams,
  ScreeningRun,
  SupportReplyParams,
} from 'corridor-sdk';
import * as schemas from 'corridor-sdk/schemas';
import type * as z from 'zod';
import * as mini from 'zod/mini';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Fields<T> = { readonly [K in keyof T]: T[K] };
/** Whether a schema has exactly the fields of an interface: their names, types and whether they are required. */
type Infers<Schema extends z.ZodType, T> =
  Equal<Fields<z.output<Schema>>, Fields<T>> extends true ? Equal<Fields<z.input<Schema>>, Fields<T>> : false;

const results: boolean[] = [];
const infers = <Schema extends z.ZodType, T>(holds: Infers<Schema, T>): unknown => results.push(holds);

infers<typeof schemas.payment, Payment>(true);
infers<typeof schemas.createdPayment, CreatedPayment>(true);
infers<typeof schemas.listedPayment, ListedPayment>(true);
infers<typeof schemas.paymentCreateParams, PaymentCreateParams>(true);
infers<typeof schemas.paymentListParams, PaymentListParams>(true);
infers<typeof schemas.customer, Customer>(true);
infers<typeof schemas.customerActivity, CustomerActivity>(true);
infers<typeof schemas.customerListParams, CustomerListParams>(true);
infers<typeof schemas.beneficiary, Beneficiary>(true);
infers<typeof schemas.beneficiaryListParams, BeneficiaryListParams>(true);
infers<typeof schemas.personScreening, PersonScreening>(true);
infers<typeof schemas.screeningRun, ScreeningRun>(true);
infers<typeof schemas.screeningHistoryParams, ScreeningHistoryParams>(true);
infers<typeof schemas.cryptoPaymentMethod, CryptoPaymentMethod>(true);
infers<typeof schemas.cryptoNetwork, CryptoNetwork>(true);
infers<typeof schemas.supportReplyParams, SupportReplyParams>(true);
infers<typeof schemas.payment, Customer>(false);

// Both ways without a cast.
const payment: Payment = schemas.payment.parse({});
const inferred: z.infer<typeof schemas.payment> = payment;
void inferred;

// Schemas of your own, with zod and with zod/mini.
const form = schemas.paymentCreateParams.omit({ internalReference: true });
const order: Omit<PaymentCreateParams, 'internalReference'> = form.parse({});
const picked: { id: string; status: string } = mini.pick(schemas.payment, { id: true, status: true }).parse({});
const list: readonly Payment[] = mini.array(schemas.payment).parse([]);
void [order, picked, list];

// @ts-expect-error: the field does not exist
schemas.payment.pick({ state: true });
