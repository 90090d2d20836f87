import * as z from 'zod/mini';
import { integerFrom } from '../../../contract/options.js';
import type { MockOrganization } from '../../organization.js';
import type { MockRecords } from '../../records/builder.js';
import { transitionableKinds } from '../../store/transitions.js';
import { list, noParameters, object, text, type NamedCalls } from './call.js';

const recordKinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;
type RecordsGetter = (organization: MockOrganization) => MockRecords<unknown, never>;

function callsOfKind(kind: string, recordsIn: RecordsGetter): NamedCalls {
  return [
    [
      `${kind}.add`,
      {
        parameters: z.strictObject({ record: z.optional(object) }),
        run: (_, organization, record) => recordsIn(organization).add(record),
      },
    ],
    [
      `${kind}.addMany`,
      {
        parameters: z.strictObject({ count: integerFrom(0, 100_000), record: z.optional(object) }),
        run: (_, organization, count, record) =>
          recordsIn(organization).addMany(count, record === undefined ? undefined : () => record),
      },
    ],
    [
      `${kind}.get`,
      {
        parameters: z.strictObject({ id: text }),
        reads: true,
        run: (_, organization, id) => recordsIn(organization).get(id as string),
      },
    ],
    [
      `${kind}.update`,
      {
        parameters: z.strictObject({ id: text, record: object }),
        run: (_, organization, id, record) => recordsIn(organization).update(id, record),
      },
    ],
    [
      `${kind}.remove`,
      {
        parameters: z.strictObject({ id: text }),
        run: (_, organization, id) => recordsIn(organization).remove(id),
      },
    ],
    [
      `${kind}.all`,
      {
        parameters: z.strictObject({ query: z.optional(object) }),
        reads: true,
        run: (_, organization, query) => recordsIn(organization).all(query),
      },
    ],
  ];
}

function transitionCalls(kind: 'payments' | 'customers' | 'beneficiaries'): NamedCalls {
  return [
    [
      `${kind}.transition`,
      {
        parameters: z.strictObject({ id: text, status: text }),
        run: (_, organization, id, status) => organization[kind].transition(id, status),
      },
    ],
    [
      `${kind}.scheduleTransitions`,
      {
        parameters: z.strictObject({ id: text, statuses: list, trigger: object }),
        run: (_, organization, id, statuses, trigger) => organization[kind].scheduleTransitions(id, statuses, trigger),
      },
    ],
  ];
}

/** The calls that add, read and change records. */
export const recordCalls: NamedCalls = [
  ...recordKinds.flatMap((kind) =>
    callsOfKind(kind, (organization) => organization[kind] as MockRecords<unknown, never>),
  ),
  ...transitionableKinds.flatMap(transitionCalls),
  ['crypto.networks', { parameters: noParameters, reads: true, run: (_, { crypto }) => crypto.networks() }],
  ['crypto.paymentMethods', { parameters: noParameters, reads: true, run: (_, { crypto }) => crypto.paymentMethods() }],
  [
    'crypto.update',
    { parameters: z.strictObject({ changes: object }), run: (_, { crypto }, changes) => crypto.update(changes) },
  ],
  [
    'crypto.remove',
    {
      parameters: z.strictObject({ network: text, token: z.optional(text) }),
      run: (_, { crypto }, network, token) => crypto.remove(network, token),
    },
  ],
  [
    'persons.clearMatch',
    {
      parameters: z.strictObject({ id: text, matchId: text, disposition: z.optional(object) }),
      run: (_, organization, id, matchId, disposition) => organization.persons.clearMatch(id, matchId, disposition),
    },
  ],
  [
    'tickets.reply',
    {
      parameters: z.strictObject({ id: text, reply: object }),
      run: (_, organization, id, reply) => organization.tickets.reply(id, reply),
    },
  ],
  [
    'payments.createParams',
    {
      parameters: z.strictObject({ params: z.optional(object) }),
      run: (_, organization, params) => organization.payments.createParams(params),
    },
  ],
  [
    'payments.scheduleTransitionsOnCreate',
    {
      parameters: z.strictObject({ statuses: list, trigger: object }),
      run: (_, organization, statuses, trigger) => organization.payments.scheduleTransitionsOnCreate(statuses, trigger),
    },
  ],
  [
    'payments.history',
    {
      parameters: z.strictObject({ id: text }),
      reads: true,
      run: (_, organization, id) => organization.payments.history(id as string),
    },
  ],
  [
    'customers.activity',
    {
      parameters: z.strictObject({ id: text }),
      reads: true,
      run: (_, organization, id) => organization.customers.activity(id),
    },
  ],
];
