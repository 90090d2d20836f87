import type { RecordedRequest } from '../../mock/index.js';
import { receivedFields } from '../../mock/wire/request-log.js';
import type { MockCredentials } from '../control/records.js';

/** Quotes a text for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Formats a value as TypeScript. */
function toTypeScript(value: unknown, indent = ''): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const parts = Array.isArray(value)
    ? value.map((item: unknown) => toTypeScript(item, inner))
    : Object.entries(value).map(([key, item]: [string, unknown]) => `${keyOf(key)}: ${toTypeScript(item, inner)}`);
  if (parts.length === 0) return `${open}${close}`;
  const line = `${open} ${parts.join(', ')} ${close}`;
  if (line.length <= 60 && !line.includes('\n')) return Array.isArray(value) ? `[${parts.join(', ')}]` : line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}

const keyOf = (key: string): string =>
  // As a key of a literal, __proto__ would set the prototype.
  key === '__proto__' ? `['${key}']` : /^[a-z_$][\w$]*$/i.test(key) ? key : quote(key);

const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'").replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;

type Request = Pick<RecordedRequest, 'endpoint' | 'params' | 'query' | 'filters' | 'body'>;

/**
 * Returns a command for a POSIX shell that signs a token for a request and sends it with curl. `time` is a shell
 * expression of the platform's time in seconds. Assumed: A-2
 */
export function toCurl(
  { baseUrl, apiKey, privateKey }: MockCredentials,
  { method, path, query, body }: Pick<RecordedRequest, 'method' | 'path' | 'query' | 'body'>,
  time: string,
): string {
  const search = new URLSearchParams(query).toString();
  const uri = `${path}${search === '' ? '' : `?${search}`}`;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const isPlain = method === 'GET' && body === undefined;
  return `(
key=${shellQuote(privateKey.trim())}
uri=${shellQuote(uri)}
body=${shellQuote(text)}
iat=${time}
encode() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
hash=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
claims=$(printf '{"iat":%d,"exp":%d,"jti":"%s","uri":"%s","bodyHash":"%s"}' \\
  "$iat" "$((iat + 60))" "$(openssl rand -hex 16)" "$uri" "$hash")
content=$(printf %s '{"alg":"RS256"}' | encode).$(printf %s "$claims" | encode)
signature=$(printf %s "$content" | openssl dgst -sha256 -sign /dev/fd/3 3<<KEY | encode
$key
KEY
)
curl ${isPlain ? '' : `-X ${shellQuote(method)} `}${shellQuote(baseUrl)}"$uri" \\
  -H ${shellQuote(`x-api-key: ${apiKey}`)} \\
  -H "authorization: Bearer $content.$signature"${isPlain ? '' : ` \\\n  -H 'content-type: application/json' --data-raw "$body"`}
)
`;
}

/** Returns the call of the SDK that sends a request; undefined if the request belongs to no endpoint. */
export function toSdkCall({ endpoint, params, filters, body }: Request): string | undefined {
  if (endpoint === undefined) return undefined;
  const ids = Object.values(params).map((id) => toTypeScript(id));
  const rest =
    body !== undefined ? [toTypeScript(body)] : Object.keys(filters).length > 0 ? [toTypeScript(filters)] : [];
  return `await corridor.${endpoint}(${[...ids, ...rest].join(', ')});`;
}

/** Returns the assertion that a request was received; undefined if the request belongs to no endpoint. */
export function toMatcher(request: Request): string | undefined {
  const { endpoint } = request;
  if (endpoint === undefined) return undefined;
  const fields = receivedFields(request);
  const expected = Object.keys(fields).length === 0 ? '' : `, ${toTypeScript(fields)}`;
  return `expect(platform).toHaveReceived(${quote(endpoint)}${expected});`;
}
