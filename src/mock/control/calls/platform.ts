import * as z from 'zod/mini';
import type { EndpointName } from '../../../contract/endpoints.js';
import type { MockBehavior } from '../../behavior.js';
import { integerFrom, optionsObject } from '../../../contract/options.js';
import { memoize } from '../../../contract/schema/schema.js';
import { pageShape, selectPage, type MockPageQuery } from '../../records/select.js';
import { noParameters, object, text, type NamedCalls } from './call.js';

/** Selects requests; `after` is a `requestId`. */
interface RequestQuery extends MockPageQuery {
  readonly status?: number | undefined;
}

const requestQuery = memoize(() => optionsObject<RequestQuery>({ ...pageShape(), status: integerFrom(100, 599) }));

/** The calls that read the requests, and read and change the behavior and the whole state. */
export const platformCalls: NamedCalls = [
  [
    'requests',
    {
      parameters: z.strictObject({ endpoint: z.optional(z.nullable(text)), query: z.optional(requestQuery()) }),
      reads: true,
      scope: 'either',
      run: (_, { requests }, name: EndpointName | null | undefined, query: RequestQuery = {}) =>
        selectPage(
          'requests',
          (name === undefined || name === null ? requests : requests.to(name)).map((value) => ({
            id: value.requestId,
            value,
          })),
          query,
          ({ status }) => query.status === undefined || status === query.status,
        ),
    },
  ],
  ['requests.clear', { scope: 'either', parameters: noParameters, run: (_, { requests }) => requests.clear() }],
  [
    'assumptions',
    { scope: 'platform', parameters: noParameters, reads: true, run: (platform) => platform.assumptions() },
  ],
  [
    'configure',
    {
      scope: 'platform',
      parameters: z.strictObject({ behavior: object }),
      run: (platform, _, behavior) => platform.configure(withoutNull(behavior)),
    },
  ],
  ['snapshot', { scope: 'platform', parameters: noParameters, reads: true, run: (platform) => platform.snapshot() }],
  [
    'restore',
    {
      scope: 'platform',
      parameters: z.strictObject({ snapshot: object }),
      run: (platform, _, snapshot) => platform.restore(snapshot),
    },
  ],
  [
    'scenarios.list',
    { scope: 'platform', parameters: noParameters, reads: true, run: ({ scenarios }) => scenarios.list() },
  ],
  [
    'scenarios.load',
    {
      scope: 'platform',
      // A name only: the server loads the scenarios of the package and those that it was started with.
      parameters: z.strictObject({ name: text }),
      run: ({ scenarios }, _, name) => scenarios.load(name as string),
    },
  ],
  ['reset', { parameters: noParameters, run: (_, organization) => organization.reset() }],
  ['resetAll', { scope: 'platform', parameters: noParameters, run: (platform) => platform.reset() }],
];

/** Replaces null, because JSON cannot represent undefined, which restores the default of an option. */
function withoutNull(behavior: object): MockBehavior {
  return Object.fromEntries(
    Object.entries(behavior).map(([name, value]: [string, unknown]) => [name, value ?? undefined]),
  );
}
