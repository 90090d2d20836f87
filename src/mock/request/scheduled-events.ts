import type { EndpointName } from '../../contract/endpoints.js';
import { statusOf } from '../base/error-statuses.js';
import { deepFreeze } from '../base/freeze.js';
import { beneficiaryKind } from '../records/beneficiaries.js';
import { moveRecord } from '../records/builder.js';
import { customerKind } from '../records/customers.js';
import { paymentKind, waitsForReview } from '../records/payments.js';
import type { OrganizationState } from '../state/platform-state.js';
import type { Due, ScheduledCall, TransitionableKind, TransitionPlan } from '../state/schedule.js';
import { HttpError } from '../wire/http-error.js';
import type { HandlerContext } from './handlers/handler.js';
import { handlers } from './handlers/index.js';

/** Runs an event that is due: the rest of a request whose commit is late, or the next step of a plan. */
export function runEvent(organization: OrganizationState, event: Due, now: number): void {
  if ('call' in event) runScheduledCall(organization, event.call);
  else applyNextStep(organization, event.plan, now);
}

function runScheduledCall(
  organization: OrganizationState,
  { endpoint, params, query, body, base, requestId }: ScheduledCall,
): void {
  const entry = organization.requests.find((request) => request.requestId === requestId);
  try {
    // The request was validated by the contract of this endpoint when it was received.
    handlers[endpoint]({ organization, params, query, body, base } as unknown as HandlerContext<EndpointName>);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (entry === undefined) return;
    // There is no client left to report the error to, so the log keeps it.
    const { code, message } = error;
    const status = statusOf(error, organization.options.errorStatuses);
    Object.assign(entry, { error: { status, code, message } });
    organization.platform.exchanges.notify('state');
  } finally {
    deepFreeze(entry);
  }
}

/** Returns the functions of an object, each of which runs first what is due. */
export function afterDueEvents<T extends object>(organization: OrganizationState, functions: T): T {
  const entries = Object.entries(functions as Readonly<Record<string, (...parameters: unknown[]) => unknown>>);
  const runFirst = (): void => organization.runDueEvents(runEvent);
  return Object.fromEntries(
    entries.map(([name, run]) => [name, (...parameters: unknown[]) => (runFirst(), run(...parameters))]),
  ) as T;
}

const kinds = { payments: paymentKind, customers: customerKind, beneficiaries: beneficiaryKind };

/** Applies the next step of a plan; postpones it if the payment is held. */
function applyNextStep(organization: OrganizationState, plan: TransitionPlan, now: number): void {
  const { kind, id, steps, every } = plan;
  const payment = kind === 'payments' ? organization.payments.get(id)?.record : undefined;
  if (payment !== undefined && waitsForReview(organization, payment.customerId, steps[0] ?? ''))
    return organization.schedule.plan(kind, id, steps, every, now);
  moveRecord<TransitionableKind, unknown, object>(organization, kinds[kind], id, steps[0] ?? '');
}
