import { resolveDialect } from '../../src/contract/dialect.ts';
import type { Json } from './schemas.ts';

interface ErrorResponseKind {
  readonly status: string;
  readonly description: string;
  /** Restricts the response to endpoints with ids or a body. */
  readonly onlyIf?: 'hasIds' | 'hasBody';
  readonly headers?: Json;
}

const retryAfter: Json = {
  'retry-after': {
    description: 'When to retry: seconds or an HTTP date.',
    schema: { type: 'string' },
    'x-assumed': 'A-12',
  },
};

/** The error responses, named after the client's errors. Assumed: A-6. */
const kinds: Readonly<Record<string, ErrorResponseKind>> = {
  AuthenticationError: {
    status: '401',
    description: 'The API key is unknown, or the token is not valid for this request.',
  },
  NotFoundError: { status: '404', description: 'The organization has no such record.', onlyIf: 'hasIds' },
  BodyTooLarge: { status: '413', description: 'The body is larger than the platform accepts.', onlyIf: 'hasBody' },
  RateLimitError: { status: '429', description: 'Too many requests.', headers: retryAfter },
  ApiError: {
    status: '4XX',
    description: 'The request is rejected: it is invalid, or the state of a record does not allow it.',
  },
  ServerError: { status: '5XX', description: 'The platform failed. It is unknown whether it made a change.' },
};

/** Returns the error responses of an endpoint, by status. */
export function errorResponses(endpoint: { readonly hasIds: boolean; readonly hasBody: boolean }): Json {
  const possible = Object.entries(kinds).filter(([, { onlyIf }]) => onlyIf === undefined || endpoint[onlyIf]);
  return Object.fromEntries(possible.map(([name, { status }]) => [status, { $ref: `#/components/responses/${name}` }]));
}

/** Returns the error responses as components, with responses of the mock as examples. */
export function errorResponseComponents(body: Json, examples: (status: string) => Json): Json {
  const [requestIdHeader = ''] = resolveDialect().requestIdHeaders;
  return Object.fromEntries(
    Object.entries(kinds).map(([name, { status, description, headers }]) => [
      name,
      {
        description,
        'x-assumed': 'A-6',
        headers: { [requestIdHeader]: { $ref: '#/components/headers/RequestId' }, ...headers },
        content: {
          'application/json': {
            schema: body,
            ...(Object.keys(examples(status)).length > 0 && { examples: examples(status) }),
          },
          'application/problem+json': { schema: body },
        },
      },
    ]),
  );
}
