import type { PaymentAuthorization } from '../../contract/schema/authorization.js';
import {
  type Payment,
  type PaymentCreateParams,
  paymentStatuses,
  type PaymentStatus,
} from '../../contract/schema/payments.js';
import { enumOf, string } from '../../contract/schema/schema.js';
import type { PaymentQuote } from '../../contract/schema/quotes.js';
import { resolveTrigger, type TransitionTrigger } from '../store/schedule.js';
import { MockPlatformError } from '../error.js';
import { copyOf, deepFreeze } from '../frozen.js';
import type { OrganizationState } from '../store/organization.js';
import type { StatusChange, StoredPayment } from '../store/records.js';
import {
  assertTransition,
  assertTransitions,
  recordsOf,
  scheduleTransitions,
  timestampNow,
  unknownRecord,
  withDueEvents,
  type MockRecords,
} from './builder.js';
import { changePayment } from './payment/change.js';
import { createPayment } from './payment/create.js';
import { freeQuote, fundingAfter, historyOf, toWirePayment } from './payment/parts.js';
import { createParams, type MockPaymentParamsInput } from './payment/params.js';
import type { MockPaymentInput } from './payment/input.js';
import { waitsForReview } from './payment/hold.js';

/** A payment with all of its data on the platform. */
export interface MockPayment extends Payment {
  /** The quote, as `payments.create` returns it; null if the payment has no quote. */
  readonly paymentQuote: PaymentQuote | null;
  /** The authorization, as `payments.list` returns it. */
  readonly authorization: PaymentAuthorization;
  /** The ids of its documents, which responses do not contain. */
  readonly documentIds: readonly string[];
  /** Whether a request created the payment, rather than the test. */
  readonly requested: boolean;
}

/** Changes the status of a payment. Throws `MockPlatformError` if the transition is not allowed. */
export function transitionPayment(organization: OrganizationState, id: string, status: PaymentStatus): StoredPayment {
  const before = organization.payments.get(id) ?? unknownRecord('payments.transition', 'id', id);
  assertTransition(
    'payments.transition',
    organization.platform.options.transitions.payments,
    before.record.status,
    status,
  );
  if (waitsForReview(organization, before.record.customerId, status))
    throw new MockPlatformError(
      `payments.transition: a person of the customer has a payment hold, so the payment cannot become APPROVED. Clear the open matches with persons.clearMatch.`,
    );
  const moved: StoredPayment = {
    ...before,
    history: [...historyOf(before), { status, at: timestampNow(organization) }],
    record: {
      ...before.record,
      status,
      sourceFunding: fundingAfter(before.record, status),
      updatedAt: timestampNow(organization),
    },
  };
  organization.payments.update(id, () => moved);
  return moved;
}

/** Returns the public view of a payment. */
function toView(organization: OrganizationState, stored: StoredPayment): MockPayment {
  const { paymentQuoteId } = stored.record;
  return {
    ...toWirePayment(organization, stored, organization.platform.baseUrl),
    paymentQuote: paymentQuoteId === null ? null : (organization.quotes.get(paymentQuoteId)?.record ?? null),
    authorization: stored.authorization,
    documentIds: stored.documentIds,
    requested: stored.requested,
  };
}

/**
 * The payments of an organization. `add` also creates the customer, beneficiary, quote and invoice, unless the input
 * names them.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const payment = platform.payments.add({ amount: '1250.00', currencyCode: 'MXN' });
 * platform.payments.transition(payment.id, 'APPROVED');
 * platform.payments.addMany(250, (index) => ({ status: index % 2 === 0 ? 'COMPLETED' : 'PROCESSING' }));
 * ```
 */
export interface MockPayments extends MockRecords<MockPayment, MockPaymentInput> {
  /**
   * Adds what a payment needs (a customer, a beneficiary, a quote and an invoice, all of them valid) and returns the
   * parameters of `payments.create`. Fields that you omit are generated; records that you name by id are used. Throws
   * `MockPlatformError` if a field is unknown or invalid; then nothing is added.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * const corridor = new Corridor(platform.clientOptions());
   * const params = platform.payments.createParams({ amount: '1250.00', currencyCode: 'MXN' });
   * await corridor.payments.create(params);
   * ```
   */
  createParams(input?: MockPaymentParamsInput): PaymentCreateParams;
  /** Returns the statuses that a payment had, oldest first. Throws `MockPlatformError` if the id does not exist. */
  history(id: string): StatusChange[];
  /** Changes the status of a payment. Throws `MockPlatformError` if the transition is not allowed. */
  transition(id: string, status: PaymentStatus): MockPayment;
  /**
   * Schedules status transitions of a payment, one after another, by the mock's clock or each time the payment is
   * listed. Replaces the previous schedule; an empty array removes it. A change after which the next status is not
   * allowed cancels it, which `scheduled` shows. Throws `MockPlatformError` if a transition is not allowed.
   */
  scheduleTransitions(id: string, statuses: readonly PaymentStatus[], trigger: TransitionTrigger): void;
  /**
   * Schedules status transitions of every payment that requests create from now on; an empty array cancels this. Throws
   * as `scheduleTransitions` does.
   */
  scheduleTransitionsOnCreate(statuses: readonly PaymentStatus[], trigger: TransitionTrigger): void;
}

function scheduleTransitionsOnCreate(
  organization: OrganizationState,
  statuses: readonly PaymentStatus[],
  trigger: TransitionTrigger,
): void {
  assertTransitions('payments.scheduleTransitionsOnCreate', organization.platform.options.transitions.payments, [
    organization.platform.options.createdStatus,
    ...statuses,
  ]);
  organization.schedule.planOnCreate(statuses, resolveTrigger('payments.scheduleTransitionsOnCreate', trigger));
}

/** Creates the public interface of the payments. */
export function paymentRecords(organization: OrganizationState): MockPayments {
  return {
    ...recordsOf(organization, {
      name: 'payments',
      create: createPayment,
      collection: ({ payments }) => payments,
      filters: () => ({ status: enumOf(paymentStatuses), customerId: string() }),
      toView,
      change: changePayment,
      release: (state, id) => {
        const stored = state.payments.get(id);
        if (stored !== undefined) freeQuote(state, stored.record);
      },
    }),
    createParams: (input) => createParams(organization, copyOf(input)),
    history: (id) => [
      ...deepFreeze(
        historyOf(withDueEvents(organization).payments.get(id) ?? unknownRecord('payments.history', 'id', id)),
      ),
    ],
    transition: (id, status) =>
      deepFreeze(toView(organization, transitionPayment(withDueEvents(organization), id, status))),
    scheduleTransitions: (id, steps, trigger) => {
      const { record } =
        withDueEvents(organization).payments.get(id) ?? unknownRecord('payments.scheduleTransitions', 'id', id);
      scheduleTransitions(organization, 'payments', { id, from: record.status, steps, trigger });
    },
    scheduleTransitionsOnCreate: (statuses, trigger) => scheduleTransitionsOnCreate(organization, statuses, trigger),
  };
}
