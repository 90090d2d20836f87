import * as z from 'zod/mini';
import { custom } from '../contract/options.js';
import { enumOf, memoize, withMetadata } from '../contract/schema/schema.js';
import { isRecord, validateRequest } from '../contract/validate.js';
import { InvalidRequestError } from '../errors/api.js';
import { serializeQuery, type PreparedRequest } from './request.js';
import { copyInput } from './input.js';

/** A request to an endpoint that this version does not know. */
export interface CustomRequest {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path relative to `baseUrl`, such as `/api/v1/reports`. Percent-encode any ids in it. */
  readonly path: string;
  /** The query parameters. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The body, sent as JSON. */
  readonly body?: unknown;
}

const customRequest = memoize(() => {
  const fields = z.strictObject({
    method: enumOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: custom<string>(isSafePath, {
      rule: 'must be a percent-encoded path that starts with "/", has no empty, "." or ".." segments, no query and no fragment, such as "/api/v1/customers"',
      fix: 'Pass filters as query',
    }),
    query: z.optional(
      custom<Readonly<Record<string, unknown>>>(
        (query) => isRecord(query) && Object.values(query).every((value) => typeof value !== 'object'),
        { rule: 'must be an object of strings, numbers and booleans' },
      ),
    ),
    body: z.optional(z.unknown()),
  });
  const hasNoBody = z.refine<z.infer<typeof fields>>(({ method, body }) => method !== 'GET' || body === undefined, {
    path: ['body'],
    error: () => 'must be absent, because a GET has no body',
  });
  return withMetadata(fields.check(hasNoBody), {
    rule: "must be an object, such as { method: 'GET', path: '/api/v1/x' }",
  });
});

/** Validates a call to an endpoint that the contract does not contain and builds its request. */
export function buildCustomRequest(request: CustomRequest): PreparedRequest {
  const copy = copyInput('request', request, 'reject') as CustomRequest;
  const issues = validateRequest(customRequest(), copy);
  if (issues.length > 0) throw new InvalidRequestError('request', issues);
  const { method, path, query, body } = copy;
  return {
    endpoint: 'request',
    method,
    // The path contains the caller's ids, which must not appear in logs.
    template: '{path}',
    uri: path + serializeQuery(query),
    body: body === undefined ? undefined : JSON.stringify(body),
    retryMode: method === 'GET' ? 'always' : 'never',
    result: undefined,
    hasNoContent: false,
  };
}

/** Returns whether a path stays below the base URL. URL parsers must not rewrite it: the token is signed for it as sent. */
function isSafePath(path: unknown): boolean {
  return (
    typeof path === 'string' &&
    path.startsWith('/') &&
    !/[?#\\\s\p{Cc}]|%(?![0-9a-f]{2})/iu.test(path) &&
    path
      .split('/')
      .slice(1)
      .every((segment) => segment !== '' && !/^(\.|%2e){1,2}$/i.test(segment)) &&
    new URL(`http://localhost${path}`).pathname === path
  );
}
