import { endpoints, type EndpointDefinition, type EndpointName } from '../../contract/endpoints.js';
import { MockPlatformError } from '../base/mock-error.js';
import { statusOf } from '../base/error-statuses.js';
import { deepFreeze } from '../base/freeze.js';
import { violationsOf } from '../base/unknown-values.js';
import { definitionOf, responseAfter, type MockFault } from '../faults/fault.js';
import type { MockPlatformResponse } from '../faults/response.js';
import { beneficiaryKind } from '../records/beneficiaries.js';
import { moveRecord } from '../records/builder.js';
import { customerKind } from '../records/customers.js';
import { paymentKind, waitsForReview } from '../records/payments.js';
import { atTime } from '../state/clock.js';
import type { OrganizationState } from '../state/platform.js';
import type { ScheduledCall, TransitionableKind, TransitionPlan } from '../state/schedule.js';
import { HttpError } from '../wire/http-error.js';
import type { RecordedRequest } from '../wire/request-log.js';
import type { HandlerContext } from './handlers/handler.js';
import { handlers } from './handlers/index.js';

/**
 * Runs the handler of an endpoint, and returns its response with what the fault changes in it, or the error with which
 * it rejects the request. Throws `MockPlatformError` if the response would violate the contract or lacks what the fault
 * changes; the records are then as before, unless that is a promise.
 */
export function runHandler(
  endpoint: EndpointName,
  call: HandlerContext<EndpointName>,
  fault: MockFault | undefined,
  request: RecordedRequest,
): MockPlatformResponse | HttpError | Promise<MockPlatformResponse> {
  const { organization } = call;
  const rollBack = fault && definitionOf(fault).needsSuccess?.(fault) ? organization.savepoint() : undefined;
  try {
    const body = invokeHandler(endpoint, call);
    assertContract(organization, endpoint, body);
    const status = organization.options.successStatuses[endpoint];
    const response = { status, headers: {}, body };
    if (fault === undefined) return response;
    const changed = responseAfter(fault, request, response);
    if (fault.kind === 'acked-but-lost') rollBack?.();
    return changed;
  } catch (error) {
    rollBack?.();
    if (error instanceof HttpError) return error;
    throw error;
  }
}

function assertContract({ addedValues }: OrganizationState, name: EndpointName, result: unknown): void {
  const endpoint: EndpointDefinition<unknown> = endpoints[name];
  if (endpoint.result === undefined) return;
  const violations = violationsOf(addedValues, endpoint.result(), result);
  if (violations.length === 0) return;
  const list = violations.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new MockPlatformError(`the response of ${name} violates the contract: ${list}. Fix the records in it.`);
}

/** Runs all scheduled events that are due, in order, each at its own time. */
export function runDueEvents(organization: OrganizationState): void {
  const { schedule, clock } = organization;
  const now = clock.now();
  for (let due = schedule.takeDue(now); due !== undefined; due = schedule.takeDue(now)) {
    const { at } = due;
    if ('call' in due) {
      const { call } = due;
      atTime(clock, at, () => runScheduledCall(organization, call));
    } else {
      const { plan } = due;
      atTime(clock, at, () => applyNextStep(organization, plan, now));
    }
  }
}

/**
 * Calls the handler of an endpoint and returns the body of its response. Throws an `HttpError` if the handler rejects
 * the request.
 */
function invokeHandler(endpoint: EndpointName, call: HandlerContext<EndpointName>): unknown {
  const handler = handlers[endpoint] as (call: HandlerContext<EndpointName>) => unknown;
  return handler(call);
}

function runScheduledCall(
  organization: OrganizationState,
  { endpoint, params, query, body, base, requestId }: ScheduledCall,
): void {
  const entry = organization.requests.find((request) => request.requestId === requestId);
  try {
    // The request was validated by the contract of this endpoint when it was received.
    invokeHandler(endpoint, { organization, params, query, body, base } as unknown as HandlerContext<EndpointName>);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (entry === undefined) return;
    // There is no client left to report the error to, so the log keeps it.
    const { code, message } = error;
    const status = statusOf(error, organization.options.errorStatuses);
    Object.assign(entry, { error: { status, code, message } });
    organization.platform.exchanges?.reportChange();
  } finally {
    deepFreeze(entry);
  }
}

const kinds = { payments: paymentKind, customers: customerKind, beneficiaries: beneficiaryKind };

/** Applies the next step of a plan; postpones it if the payment is held. */
function applyNextStep(organization: OrganizationState, plan: TransitionPlan, now: number): void {
  const { kind, id, steps, trigger } = plan;
  const payment = kind === 'payments' ? organization.payments.get(id)?.record : undefined;
  if (payment !== undefined && waitsForReview(organization, payment.customerId, steps[0] ?? ''))
    return organization.schedule.plan(kind, id, steps, trigger, now);
  moveRecord<TransitionableKind, unknown, object>(organization, kinds[kind], id, steps[0] ?? '');
}
