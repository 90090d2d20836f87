import { describeText, describeType } from '../contract/validate.js';
import { InvalidRequestError } from '../errors/api.js';
import { serializeQuery, type PreparedRequest } from './build-request.js';
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

const methods: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Validates a call to an endpoint that the contract does not contain and builds its request. */
export function buildCustomRequest(request: CustomRequest): PreparedRequest {
  if (typeof request !== 'object' || request === null)
    throwInvalidRequest('', `must be an object (received ${describeType(request)})`);
  // Copied, because a getter could return a different value later.
  const { method, path, query, body, ...others } = { ...request };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throwInvalidRequest(unknown, 'is not a known field (known: method, path, query, body)');
  const safePath = assertSafePath(path);
  if (!methods.includes(method))
    throwInvalidRequest('method', `must be one of ${methods.join(', ')} (received ${describeText(method)})`);
  const search = query === undefined ? '' : serializeQuery(customQuery(query));
  const text = body === undefined ? undefined : JSON.stringify(copyInput('request', body, 'reject', 'body'));
  if (method === 'GET' && text !== undefined) throwInvalidRequest('body', 'must be absent, because a GET has no body');
  return {
    endpoint: 'request',
    method,
    // The path contains the caller's ids, which must not appear in logs.
    template: '{path}',
    uri: safePath + search,
    body: text,
    retryMode: method === 'GET' ? 'always' : 'never',
    responseKind: 'anything',
    result: undefined,
  };
}

function customQuery(input: unknown): Record<string, unknown> {
  const query = copyInput('request', input, 'reject', 'query');
  if (typeof query !== 'object' || query === null || Array.isArray(query))
    return throwInvalidRequest('query', `must be an object (received ${describeType(query)})`);
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    if (typeof value === 'object')
      throwInvalidRequest(`query.${name}`, `must be a string, a number or a boolean (received ${describeType(value)})`);
  }
  return query as Record<string, unknown>;
}

function throwInvalidRequest(path: string, message: string): never {
  throw new InvalidRequestError('request', [{ path, message }]);
}

/** Throws if the path of a custom request could leave the base URL or be parsed in two ways. */
function assertSafePath(path: unknown): string {
  const reject = (message: string): never => throwInvalidRequest('path', message);
  if (typeof path !== 'string' || !path.startsWith('/'))
    return reject('must be a string that starts with "/", such as "/api/v1/customers"');
  if (/[?#]/.test(path)) return reject('must not contain "?" or "#": pass filters as query');
  if (/[\\\s\p{Cc}]/u.test(path) || !path.isWellFormed())
    return reject(
      'must not contain backslashes, white space, control characters or lone surrogates: percent-encode them',
    );
  if (
    path
      .split('/')
      .slice(1)
      .some((segment) => segment === '' || /^(\.|%2e){1,2}$/i.test(segment))
  ) {
    return reject('must not contain empty, "." or ".." segments');
  }
  // The token is signed for the path as sent, so a path that URL parsers rewrite could never match.
  if (/%(?![0-9a-f]{2})/i.test(path) || new URL(`http://localhost${path}`).pathname !== path)
    return reject('must be percent-encoded');
  return path;
}
