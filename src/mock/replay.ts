import { endpoints } from '../contract/endpoints.js';
import { MockPlatformError } from './base/mock-error.js';
import type { FaultTarget } from './faults/request-condition.js';
import type { MockOrganization } from './platform/organization.js';
import type { RecordedExchange } from './upstream/recording.js';
import type { RecordedRequest } from './wire/request-log.js';

type Replayed = Pick<RecordedExchange, 'endpoint' | 'method' | 'path' | 'query' | 'status' | 'headers' | 'body'>;

/** The headers of a response that `respond` accepts, without those that depend on the connection or the time. */
const skipped = /^(?:date|connection|content-(?:encoding|length)|keep-alive|trailer|transfer-encoding|upgrade)$/;

/**
 * Plans the responses of a recording, the lines that `corridor mock --upstream` wrote with `--record`. A request gets
 * the response to the recorded request with the same endpoint, path and query: of several, one after another, then
 * always the last. It is signed and validated as usual, and changes nothing. Any other request fails with a 501, which
 * says what the nearest recorded request is. Throws `MockPlatformError` if the text is no recording.
 *
 * @example
 * ```ts
 * import { createMockPlatform, replayRecording } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * replayRecording(
 *   platform,
 *   '{"endpoint":"crypto.networks","method":"GET","path":"/api/v1/crypto/networks","query":{},"status":503,"headers":{},"body":null}',
 * );
 * ```
 */
export function replayRecording(platform: MockOrganization, recording: string): void {
  const exchanges = recording.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : exchangeOf(line, index)));
  const keys = exchanges.map(keyOf);
  exchanges.forEach(({ endpoint, method, path, status, headers, body }, index) => {
    const key = keys[index];
    const isLast = keys.lastIndexOf(key ?? '') === index;
    platform.respond(
      endpoint ?? (`${method} ${path}` as FaultTarget),
      {
        status,
        headers: Object.fromEntries(
          Object.entries(headers).filter(([name, value]) => !skipped.test(name) && /^[\x20-\x7e]*$/.test(value)),
        ),
        ...([204, 205, 304].includes(status) ? {} : { body: body ?? '' }),
        processed: false,
      },
      { when: (request) => keyOf(request) === key, ...(!isLast && { times: 1 }) },
    );
  });
  platform.respond('*', { status: 501, processed: false }, { when: (request) => isUnrecorded(request, keys) });
}

function exchangeOf(line: string, index: number): Replayed {
  try {
    const { endpoint, headers, query, ...exchange } = JSON.parse(line) as Replayed;
    if (endpoint !== null && endpoints[endpoint] === undefined) throw new Error('unknown');
    return { endpoint, headers: { ...headers }, query: { ...query }, ...exchange };
  } catch {
    throw new MockPlatformError(
      `replayRecording: line ${index + 1} is not an exchange. Pass the text of a file of corridor mock --record.`,
    );
  }
}

/** Returns what the exchanges have in common that a request matches. */
function keyOf({ method, path, query: fields }: Pick<RecordedRequest, 'method' | 'path' | 'query'>): string {
  const query = new URLSearchParams(fields);
  query.sort();
  return `${method} ${path}${query.size === 0 ? '' : `?${decodeURIComponent(query.toString())}`}`;
}

/** Returns false for a request that the recording has. Throws `MockPlatformError` for any other. */
function isUnrecorded(request: RecordedRequest, keys: readonly string[]): boolean {
  const key = keyOf(request);
  if (keys.includes(key)) return false;
  const parts = (text: string): string[] => text.split(/[ /?&=]/);
  const missing = (one: string, other: string): number =>
    parts(one).filter((part) => !parts(other).includes(part)).length;
  const distance = (each: string): number => missing(each, key) + missing(key, each);
  const [nearest] = keys.toSorted((one, other) => distance(one) - distance(other));
  throw new MockPlatformError(
    `the recording has no ${key}${nearest === undefined ? '' : `; the nearest is ${nearest}`}. Record it, or send that.`,
  );
}
