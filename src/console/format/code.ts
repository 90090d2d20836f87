import type { MockCredentials, RecordedRequest } from '../../mock/index.js';
import { receivedFields } from '../../mock/wire/request-log.js';

/** Quotes a text for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Formats a value as JSON, which is TypeScript, too. */
const literal = (value: unknown): string => JSON.stringify(value, null, 2);

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

/** Returns the assertion that a request was received; undefined if the request belongs to no endpoint. */
export function toMatcher(request: Request): string | undefined {
  const { endpoint } = request;
  if (endpoint === undefined) return undefined;
  const fields = receivedFields(request);
  const expected = Object.keys(fields).length === 0 ? '' : `, ${literal(fields)}`;
  return `expect(platform).toHaveReceived(${literal(endpoint)}${expected});`;
}
