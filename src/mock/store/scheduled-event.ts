import type { EndpointName } from '../../contract/endpoints.js';
import { deepFreeze } from '../frozen.js';
import type { ScheduleSnapshot, ScheduledCall, TransitionPlan, TransitionableKind } from './schedule.js';

/** A transition of a record that is to happen or was canceled, or a request that a fault delayed. */
export type ScheduledEvent = {
  /** The time on the mock's clock in ISO 8601 format; null if the event waits for reads. */
  readonly at: string | null;
  /** The number of responses with the record until the transition; null if the event has a time. */
  readonly reads: number | null;
} & (
  | {
      readonly kind: 'transition';
      /**
       * Whether the transitions are still to happen, or were canceled at the time `at` because the status of the record
       * does not allow the next one.
       */
      readonly state: 'scheduled' | 'cancelled';
      /** The kind of the record. */
      readonly of: TransitionableKind;
      /** The id of the record. */
      readonly id: string;
      /** The next statuses, in order. */
      readonly statuses: readonly string[];
    }
  | {
      readonly kind: 'request';
      readonly endpoint: EndpointName;
      /** The id of the request. */
      readonly requestId: string;
    }
);

/** Returns the events of a schedule: those with a time in their order, then those that wait for reads. */
export function scheduledEvents({ calls, plans }: ScheduleSnapshot): ScheduledEvent[] {
  const events = [
    ...calls.map((call) => ({ due: call.at, event: callEvent(call) })),
    ...plans.map((plan) => ({
      due: plan.cancelledAt ?? ('every' in plan.trigger ? plan.next : Infinity),
      event: transitionEvent(plan),
    })),
  ];
  return events
    .toSorted((left, right) => (left.due === right.due ? 0 : left.due - right.due))
    .map(({ event }) => deepFreeze(event));
}

const callEvent = ({ at, endpoint, requestId }: ScheduledCall): ScheduledEvent => ({
  kind: 'request',
  at: new Date(at).toISOString(),
  reads: null,
  endpoint,
  requestId,
});

function transitionEvent({ kind, id, steps, trigger, next, cancelledAt }: TransitionPlan): ScheduledEvent {
  const at = cancelledAt ?? ('every' in trigger ? next : undefined);
  return {
    kind: 'transition',
    state: cancelledAt === undefined ? 'scheduled' : 'cancelled',
    at: at === undefined ? null : new Date(at).toISOString(),
    reads: at === undefined ? next : null,
    of: kind,
    id,
    statuses: [...steps],
  };
}
