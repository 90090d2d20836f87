import { resolveDialect } from '../../src/contract/dialect.ts';
import type { Json } from './schemas.ts';

interface RefusalKind {
  readonly status: string;
  readonly description: string;
  /** Only for endpoints that have this. */
  readonly of?: 'hasIds' | 'hasBody';
  readonly headers?: Json;
}

const retryAfter: Json = {
  'retry-after': { description: 'When to try again: seconds, or an HTTP date.', schema: { type: 'string' }, 'x-assumed': 'A-12' },
};

/** How a request can be refused. They are called as the client's errors are. Assumed: A-6. */
const kinds: Readonly<Record<string, RefusalKind>> = {
  AuthenticationError: { status: '401', description: 'The API key is unknown, or the token is not good for this request.' },
  NotFoundError: { status: '404', description: 'The organization has no such record.', of: 'hasIds' },
  BodyTooLarge: { status: '413', description: 'The body is larger than the platform reads.', of: 'hasBody' },
  RateLimitError: { status: '429', description: 'Too many requests.', headers: retryAfter },
  ApiError: { status: '4XX', description: 'The request is refused: it breaks a rule, or what it names does not allow it.' },
  ServerError: { status: '5XX', description: 'The platform failed. Whether a change was made is not known.' },
};

/** The refusals an endpoint can answer with, by status. */
export function refusals(endpoint: { readonly hasIds: boolean; readonly hasBody: boolean }): Json {
  const possible = Object.entries(kinds).filter(([, { of }]) => of === undefined || endpoint[of]);
  return Object.fromEntries(possible.map(([name, { status }]) => [status, { $ref: `#/components/responses/${name}` }]));
}

/** The refusals as components, with what the mock answers as examples. */
export function refusalComponents(body: Json, examples: (status: string) => Json): Json {
  const [requestIdHeader = ''] = resolveDialect().requestIdHeaders;
  return Object.fromEntries(Object.entries(kinds).map(([name, { status, description, headers }]) => [name, {
    description,
    'x-assumed': 'A-6',
    headers: { [requestIdHeader]: { $ref: '#/components/headers/RequestId' }, ...headers },
    content: {
      'application/json': { schema: body, ...(Object.keys(examples(status)).length > 0 && { examples: examples(status) }) },
      'application/problem+json': { schema: body },
    },
  }]));
}
