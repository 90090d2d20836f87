import * as z from 'zod/mini';
import { endpoints } from '../../../contract/endpoints.js';
import { integerFrom, optionsObject } from '../../../contract/options.js';
import { string, memoize, metadataOf, type Schema } from '../../../contract/schema/schema.js';
import { behaviorOptions } from '../../behavior.js';
import { faultSchema } from '../../faults/fault.js';
import type { MockOrganization } from '../../organization.js';
import type { MockPlatform } from '../../platform.js';
import type { ScheduledEvent } from '../../store/scheduled-event.js';
import { dueEvents } from '../due.js';
import { statusCounts } from '../status-counts.js';
import { noParameters, text, type NamedCalls } from './call.js';

/** Converts a schema to a JSON Schema; the description of each value is its rule. */
function jsonSchemaOf(schema: Schema<unknown>): object {
  return z.toJSONSchema(schema(), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { rule } = metadataOf(zodSchema);
      if (rule !== undefined) jsonSchema.description = rule;
    },
  });
}

/** Selects scheduled events: those of a record or a delayed request by its id, and the most to return. */
interface EventQuery {
  readonly id?: string | undefined;
  readonly limit?: number | undefined;
}

const eventQuery = memoize(() => optionsObject<EventQuery>({ id: string(), limit: integerFrom(1) }));

function scheduledIn(organization: MockOrganization, { id, limit }: EventQuery = {}): ScheduledEvent[] {
  const idOf = (event: ScheduledEvent): string => (event.kind === 'transition' ? event.id : event.requestId);
  const events = organization.scheduled();
  return (id === undefined ? events : events.filter((event) => idOf(event) === id)).slice(0, limit);
}

/** Returns the statuses that a record of each kind may move to, by its current status. */
function transitionsOf(platform: MockPlatform): unknown {
  return platform.assumptions().find(({ id, option }) => id === 'A-10' && option === 'transitions')?.value;
}

/** The calls that show what happened, what will happen and what is possible. */
export const inspectionCalls: NamedCalls = [
  [
    'requests.get',
    {
      scope: 'platform',
      parameters: z.strictObject({ requestId: text }),
      reads: true,
      run: (platform, _, requestId) => platform.recordExchanges().get(requestId),
    },
  ],
  [
    'scheduled',
    {
      parameters: z.strictObject({ query: z.optional(eventQuery()) }),
      reads: true,
      run: (_, organization, query) => scheduledIn(organization, query),
    },
  ],
  ['due', { scope: 'platform', parameters: noParameters, reads: true, run: dueEvents }],
  [
    'payments.statusCounts',
    {
      parameters: z.strictObject({ count: integerFrom(1, 1_000) }),
      reads: true,
      run: ({ clock }, organization, count) => statusCounts(organization, clock.now(), count),
    },
  ],
  ['transitions', { scope: 'platform', parameters: noParameters, reads: true, run: transitionsOf }],
  [
    'schemas',
    {
      scope: 'platform',
      parameters: noParameters,
      reads: true,
      run: () => ({
        fault: jsonSchemaOf(faultSchema),
        behavior: jsonSchemaOf(behaviorOptions),
        endpoints: Object.entries(endpoints).map(([name, { method, path }]) => ({ name, method, path })),
      }),
    },
  ],
];
