import * as z from 'zod/mini';
import { beneficiaryStatuses, type BeneficiaryStatus } from '../../contract/schema/beneficiaries.js';
import { customerStatuses, type CustomerStatus } from '../../contract/schema/customers.js';
import { positiveDuration, type Duration } from '../../contract/schema/time.js';
import { integerFrom, numberFrom, optionsObject, type OptionsShape } from '../../contract/option-schemas.js';
import {
  boolean,
  enumOf,
  string,
  memoize,
  withMetadata,
  type Schema,
  type UnknownValue,
} from '../../contract/schema/schema.js';
import { paymentStatuses, type PaymentStatus } from '../../contract/schema/payments.js';
import { behaviorOptions, type MockBehavior, type ResolvedOptions } from '../base/mock-options.js';
import type { RespondOptions } from '../faults/fault-plan.js';
import { type FaultTarget, faultTarget } from '../faults/request-condition.js';
import { faultSchema, type MockFault, responseShape } from '../faults/fault.js';
import type { MockResponse } from '../faults/response.js';
import { beneficiaryInput, type MockBeneficiaryInput } from '../records/beneficiaries.js';
import { customerInput, type MockCustomerInput } from '../records/customers.js';
import { paymentInput, type MockPaymentInput } from '../records/payments.js';
import { personInput, type MockPersonInput } from '../records/persons.js';
import { populateSizes, type PopulateSizes } from '../records/populate.js';
import { quoteInput, type MockQuoteInput } from '../records/quotes.js';
import { ticketInput, type MockTicketInput } from '../records/tickets.js';
import { documentInput, type MockDocumentInput } from '../records/documents.js';
import { triggerOptions, type TransitionTrigger } from '../state/schedule.js';
import { recordKinds, type RecordKindName } from '../state/record-kinds.js';

/** Status transitions of a record, one after another. */
export interface ScenarioTransitions<Status extends string = string> {
  /** The statuses, in order. */
  readonly statuses: readonly (Status | UnknownValue)[];
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

const anObject = (): z.ZodMiniType => z.looseObject({});

const planShape = () => ({
  endpoint: faultTarget(),
  times: z.optional(integerFrom(1)),
  when: z.optional(anObject()),
  after: z.optional(integerFrom(0)),
});

/** The schemas of the records of a scenario. */
const inputs: Readonly<Record<RecordKindName, Schema<object>>> = {
  customers: customerInput,
  beneficiaries: beneficiaryInput,
  persons: personInput,
  quotes: quoteInput,
  documents: documentInput,
  payments: paymentInput,
  tickets: ticketInput,
};

const statusesOf = { customers: customerStatuses, beneficiaries: beneficiaryStatuses, payments: paymentStatuses };

/** Returns the schema of transitions to some statuses. */
const transitionsTo = (statuses: readonly [string, ...string[]]): z.ZodMiniType =>
  z.strictObject({
    statuses: z.array(enumOf(statuses)).check(z.minLength(1)),
    trigger: triggerOptions(),
  });

/** Returns the schema of the records of a kind. With `records: 'any'`, values of sets may be unknown. */
function recordsIn(kind: RecordKindName, validation: ResolvedOptions['records']): z.ZodMiniType {
  const extras = {
    count: z.optional(integerFrom(1, maxCount)),
    ...(kind in statusesOf && {
      transitions: z.optional(transitionsTo(statusesOf[kind as keyof typeof statusesOf])),
    }),
  };
  const record = validation === 'any' ? z.looseObject(extras) : z.extend(inputs[kind]() as z.ZodMiniObject, extras);
  return withMetadata(z.array(record), { rule: 'must be an array of objects' });
}

/** The largest number of equal records. */
const maxCount = 100_000;

/**
 * The schemas of scenarios, by the option `records` of the platform. They have the names and types of the fields; what
 * `load` calls checks the rest.
 */
export const scenarioSchemas: Readonly<Record<ResolvedOptions['records'], Schema<MockScenario>>> = {
  plausible: memoize(() => buildSchema('plausible')),
  any: memoize(() => buildSchema('any')),
};

function buildSchema(records: ResolvedOptions['records']): z.ZodMiniType<MockScenario> {
  const kinds = Object.fromEntries(recordKinds.map((kind) => [kind, recordsIn(kind, records)]));
  return optionsObject<MockScenario>(
    {
      $schema: string(),
      description: string(),
      clock: z.strictObject({ now: string(), isFrozen: z.optional(boolean()) }),
      behavior: behaviorOptions(),
      populate: populateSizes(),
      ...(kinds as Pick<OptionsShape<MockScenario>, RecordKindName>),
      createdPayments: transitionsTo(paymentStatuses) as unknown as z.ZodMiniType<ScenarioTransitions<PaymentStatus>>,
      faults: z.array(
        z.strictObject({
          ...planShape(),
          fault: faultSchema(),
          probability: z.optional(numberFrom(0, 1)),
          duration: z.optional(positiveDuration()),
        }),
      ) as unknown as z.ZodMiniType<readonly ScenarioFault[]>,
      responses: z.array(
        z.strictObject({
          ...planShape(),
          ...(responseShape() as z.core.$ZodShape),
          public: z.optional(boolean()),
        }),
      ) as unknown as z.ZodMiniType<readonly ScenarioResponse[]>,
    } satisfies OptionsShape<MockScenario>,
    { rule: 'must be a scenario, such as { payments: [{ currencyCode: "MXN" }] }' },
  );
}
