import * as z from 'zod/mini';
import { beneficiary, type BeneficiaryStatus } from '../../contract/schema/beneficiaries.js';
import { customer, type CustomerStatus } from '../../contract/schema/customers.js';
import { positiveDuration, type Duration } from '../../contract/schema/time.js';
import { integerFrom, optionsObject, type OptionsShape } from '../../contract/option-schemas.js';
import { nonEmptyString, boolean, string, memoize, withMetadata, type Schema } from '../../contract/schema/schema.js';
import { type PaymentStatus, listedPayment } from '../../contract/schema/payments.js';
import { behaviorOptions, type MockBehavior } from '../base/mock-options.js';
import { probability, type RespondOptions } from '../faults/fault-plan.js';
import { type FaultTarget, faultTarget } from '../faults/request-condition.js';
import { faultSchema, type MockFault, responseShape } from '../faults/fault.js';
import type { MockResponse } from '../faults/response.js';
import type { MockBeneficiaryInput } from '../records/beneficiaries.js';
import type { MockCustomerInput } from '../records/customers.js';
import type { MockPaymentInput } from '../records/payments.js';
import type { MockPersonInput } from '../records/persons.js';
import { fieldsOf } from '../records/builder.js';
import { populateSizes, type PopulateSizes } from '../records/populate.js';
import type { MockQuoteInput } from '../records/quotes.js';
import type { MockTicketInput } from '../records/tickets.js';
import type { MockDocumentInput } from '../records/documents.js';
import { triggerOptions, type TransitionTrigger } from '../state/schedule.js';

/** Status transitions of a record, one after another. */
export interface ScenarioTransitions<Status extends string = string> {
  /** The statuses, in order. */
  readonly statuses: readonly Status[];
  /** When the record makes its next transition. */
  readonly trigger: TransitionTrigger;
}

/** A record of a scenario: fields of the record, and how often to add it. */
export type ScenarioRecord<Input> = Input & {
  /** The number of such records. @default 1 */
  readonly count?: number | undefined;
};

/** A record of a scenario with a status that changes by itself. */
export type ScenarioStatusRecord<Input, Status extends string> = ScenarioRecord<Input> & {
  /** Its scheduled transitions. @default none */
  readonly transitions?: ScenarioTransitions<Status> | undefined;
};

/** A fault of a scenario. */
export interface ScenarioFault {
  /** The endpoint, or `*` for all endpoints. */
  readonly endpoint: FaultTarget;
  /** The fault. */
  readonly fault: MockFault;
  /** The number of requests; for all requests, omit it or set `probability`. @default all requests */
  readonly times?: number | undefined;
  /** The share of requests, from 0 to 1. @default 1 */
  readonly probability?: number | undefined;
  /** How long the fault lasts on the mock's clock; not together with `times`. @default until it is removed */
  readonly duration?: Duration | undefined;
  /** Fields of the requests that the fault applies to. @default all requests to the endpoint */
  readonly when?: Readonly<Record<string, unknown>> | undefined;
  /** The number of such requests before the first one that it applies to. @default 0 */
  readonly after?: number | undefined;
}

/** A response of a scenario; see `respond`. */
export interface ScenarioResponse extends MockResponse, Omit<RespondOptions, 'when'>, Pick<ScenarioFault, 'when'> {
  /** The endpoint, `*` for all endpoints, or a method and a path. */
  readonly endpoint: FaultTarget;
}

/**
 * A state of the mock as data: records, scheduled changes, faults, clock and behavior. All parts are optional, and
 * fields of records that you omit are generated. The package contains its JSON schema as
 * `corridor-sdk/mock/scenario.schema.json`.
 *
 * @example
 * ```ts
 * import { createMockPlatform, type MockScenario } from 'corridor-sdk/mock';
 * const scenario: MockScenario = {
 *   customers: [{ companyName: 'Acme Ltd' }],
 *   payments: [{ currencyCode: 'MXN', transitions: { statuses: ['APPROVED'], trigger: { every: { hours: 1 } } } }],
 *   faults: [{ endpoint: 'payments.list', fault: { kind: 'status', status: 503 }, times: 2 }],
 * };
 * createMockPlatform().scenarios.load(scenario);
 * ```
 */
export interface MockScenario {
  /** The path or URL of the JSON schema, for editors. */
  readonly $schema?: string | undefined;
  /** What a client meets in this scenario, in a sentence. */
  readonly description?: string | undefined;
  /**
   * The time at which the scenario begins, in ISO 8601, and whether the clock runs from there. @default the real time
   */
  readonly clock?: { readonly now: string; readonly isFrozen?: boolean | undefined } | undefined;
  /** Behavior that the specification does not define. @default the behavior of the platform */
  readonly behavior?: MockBehavior | undefined;
  /** Random records, which are added first. @default none */
  readonly populate?: PopulateSizes | undefined;
  /** Customers. @default none */
  readonly customers?: readonly ScenarioStatusRecord<MockCustomerInput, CustomerStatus>[] | undefined;
  /** Beneficiaries. @default none */
  readonly beneficiaries?: readonly ScenarioStatusRecord<MockBeneficiaryInput, BeneficiaryStatus>[] | undefined;
  /** Persons with their screening. @default none */
  readonly persons?: readonly ScenarioRecord<MockPersonInput>[] | undefined;
  /** Quotes. @default none */
  readonly quotes?: readonly ScenarioRecord<MockQuoteInput>[] | undefined;
  /** Uploaded documents; their content is a text or `{ base64 }`. @default none */
  readonly documents?: readonly ScenarioRecord<MockDocumentInput>[] | undefined;
  /** Payments. @default none */
  readonly payments?: readonly ScenarioStatusRecord<MockPaymentInput, PaymentStatus>[] | undefined;
  /** Support tickets. @default none */
  readonly tickets?: readonly ScenarioRecord<MockTicketInput>[] | undefined;
  /** The transitions of every payment that requests create. @default none */
  readonly createdPayments?: ScenarioTransitions<PaymentStatus> | undefined;
  /** Faults. @default none */
  readonly faults?: readonly ScenarioFault[] | undefined;
  /** Responses that replace or change those of the platform. @default none */
  readonly responses?: readonly ScenarioResponse[] | undefined;
}

/** The largest number of equal records. */
const maxCount = 100_000;

const transitions = memoize(() =>
  z.strictObject({
    statuses: z.array(z.string()).check(z.minLength(1)),
    trigger: triggerOptions(),
  }),
);

/** Returns the schema of records with some fields of a schema and other fields. The builders validate the values. */
function recordsOf<Input>(shape: Readonly<Record<string, z.ZodMiniType>>): z.ZodMiniType<readonly Input[]> {
  const record = z.partial(z.looseObject({ count: integerFrom(1, maxCount), ...shape }));
  return withMetadata(z.array(record), { rule: 'must be an array of objects' }) as unknown as z.ZodMiniType<
    readonly Input[]
  >;
}

const anObject = (): z.ZodMiniType => z.looseObject({});

/** The schema of a scenario. */
export const scenarioSchema: Schema<MockScenario> = memoize(() =>
  optionsObject<MockScenario>(
    {
      $schema: string(),
      description: string(),
      clock: optionsObject<NonNullable<MockScenario['clock']>>({ now: nonEmptyString(), isFrozen: boolean() }),
      behavior: behaviorOptions(),
      populate: populateSizes(),
      customers: recordsOf({ ...fieldsOf(customer()), transitions: transitions() }),
      beneficiaries: recordsOf({ ...fieldsOf(beneficiary()), transitions: transitions() }),
      persons: recordsOf({ id: z.string(), customerId: z.string(), screening: anObject() }),
      quotes: recordsOf({ id: z.string(), customerId: z.string(), fundingType: z.enum(['CRYPTO', 'BANK_ACCOUNT']) }),
      documents: recordsOf({ id: z.string(), customerId: z.string(), kind: z.enum(['invoice', 'other']) }),
      payments: recordsOf({
        ...fieldsOf(listedPayment()),
        customer: anObject(),
        beneficiary: anObject(),
        paymentQuote: anObject(),
        authorization: anObject(),
        documentIds: z.array(z.string()),
        transitions: transitions(),
      }),
      tickets: recordsOf({ id: z.string(), subject: z.string(), status: z.string(), replies: z.array(anObject()) }),
      createdPayments: transitions() as unknown as z.ZodMiniType<ScenarioTransitions<PaymentStatus>>,
      faults: z.array(
        withMetadata(
          z
            .strictObject({
              endpoint: faultTarget(),
              fault: faultSchema(),
              times: z.optional(integerFrom(1)),
              probability: z.optional(probability()),
              duration: z.optional(positiveDuration()),
              when: z.optional(anObject()),
              after: z.optional(integerFrom(0)),
            })
            .check(
              z.refine((fault) => fault.times === undefined || (fault.probability ?? fault.duration) === undefined),
            ),
          { rule: 'must be a fault with either times, or probability and duration, or none of these' },
        ),
      ) as unknown as z.ZodMiniType<readonly ScenarioFault[]>,
      responses: z.array(
        z.strictObject({
          endpoint: faultTarget(),
          ...(responseShape() as z.core.$ZodShape),
          times: z.optional(integerFrom(1)),
          after: z.optional(integerFrom(0)),
          when: z.optional(anObject()),
        }),
      ) as unknown as z.ZodMiniType<readonly ScenarioResponse[]>,
    } satisfies OptionsShape<MockScenario>,
    { rule: 'must be a scenario, such as { payments: [{ currencyCode: "MXN" }] }' },
  ),
);
