import type { EndpointName } from '../contract/endpoints.js';
import type { BeneficiaryStatus } from '../contract/beneficiaries.js';
import type { CustomerStatus } from '../contract/customers.js';
import type { PaymentStatus } from '../contract/payments.js';
import type { LateCall, MovingKind, StatusPlan } from './agenda.js';
import { answers } from './answers.js';
import type { Call } from './call.js';
import { MockPlatformError } from './error.js';
import { moveBeneficiary } from './records/beneficiaries.js';
import { transitionCustomer } from './records/customers.js';
import { transitionPayment } from './records/payments.js';
import { Refusal } from './refusal.js';
import type { OrganizationState } from './state.js';

/** Does what an organization was to do by itself until now, each thing at its time. */
export function settle(organization: OrganizationState): void {
  const { agenda, platform } = organization;
  const now = platform.clock.now();
  for (let due = agenda.takeDue(now); due !== undefined; due = agenda.takeDue(now)) {
    const { at } = due;
    if ('call' in due) {
      const { call } = due;
      platform.clock.during(at, () => performLate(organization, call));
    } else {
      const { plan } = due;
      platform.clock.during(at, () => step(organization, plan));
    }
  }
}

/** What an endpoint does, its answer's body; throws a `Refusal`. */
export function work(endpoint: EndpointName, call: Call<EndpointName>): unknown {
  const act = answers[endpoint] as (call: Call<EndpointName>) => unknown;
  return act(call);
}

function performLate(organization: OrganizationState, { endpoint, parameters, query, body, base }: LateCall): void {
  try {
    // The generic seam: it was checked by this endpoint's contract when it arrived.
    work(endpoint, { organization, parameters, query, body, base } as unknown as Call<EndpointName>);
  } catch (error) {
    // Nobody is there any more to be told that it was refused.
    if (!(error instanceof Refusal)) throw error;
  }
}

/** The records that an answer shows, as far as they can move by themselves. */
const shownKinds: { readonly [Name in EndpointName]?: MovingKind } = {
  'payments.list': 'payments',
  'customers.list': 'customers',
  'customers.get': 'customers',
  'customers.beneficiaries': 'beneficiaries',
};

/** Counts the records an answer shows as read, and moves those whose step that makes due: the answer shows them as they were. */
export function countReads(organization: OrganizationState, endpoint: EndpointName, result: unknown): void {
  const kind = shownKinds[endpoint];
  if (kind === undefined) return;
  const page = result as { readonly id?: string; readonly items?: readonly { readonly id: string }[] };
  const ids = (page.items ?? [page]).flatMap(({ id }) => id ?? []);
  for (const plan of organization.agenda.read(kind, ids)) step(organization, plan);
}

const movers: { readonly [Kind in MovingKind]: (organization: OrganizationState, id: string, status: never) => unknown } = {
  payments: (organization, id, status: PaymentStatus) => transitionPayment(organization, id, status),
  customers: (organization, id, status: CustomerStatus) => transitionCustomer(organization, id, status),
  beneficiaries: (organization, id, status: BeneficiaryStatus) => moveBeneficiary(organization, id, status),
};

function step(organization: OrganizationState, plan: StatusPlan): void {
  try {
    movers[plan.kind](organization, plan.id, plan.steps[0] as never);
  } catch (error) {
    if (!(error instanceof MockPlatformError)) throw error;
    // It was moved by hand since, to where the plan does not lead on from.
    organization.agenda.end(plan);
  }
}
