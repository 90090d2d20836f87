import type { EndpointName } from '../../contract/endpoints.js';
import { deepFreeze } from '../frozen.js';
import type { ScheduleSnapshot, ScheduledCall, TransitionPlan, TransitionableKind } from './schedule.js';

/** An event that is still to happen: a transition of a record, or a request that a fault delayed. */
export type ScheduledEvent = {
  /** The time on the mock's clock in ISO 8601 format; null if the event waits for reads. */
  readonly at: string | null;
  /** The number of responses with the record until the transition; null if the event has a time. */
  readonly reads: number | null;
} & (
  | {
      readonly kind: 'transition';
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
    ...plans.map((plan) => ({ due: 'every' in plan.trigger ? plan.next : Infinity, event: transitionEvent(plan) })),
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

function transitionEvent({ kind, id, steps, trigger, next }: TransitionPlan): ScheduledEvent {
  const isTimed = 'every' in trigger;
  return {
    kind: 'transition',
    at: isTimed ? new Date(next).toISOString() : null,
    reads: isTimed ? null : next,
    of: kind,
    id,
    statuses: [...steps],
  };
}
