import type { EndpointName } from '../../contract/endpoints.js';
import { redactBody } from '../../contract/redact.js';
import type { ExchangeListener, RecordedRequest } from '../wire/request-log.js';

/** An exchange with a platform, without keys, tokens and the signatures of URLs: a line of a recording. */
export interface RecordedExchange extends Pick<RecordedRequest, 'method' | 'path' | 'query'> {
  /** The time of the request in ISO 8601 format. */
  readonly time: string;
  readonly endpoint: EndpointName | null;
  /** The body of the request: JSON, or a text; null if there was none. */
  readonly request: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the response: JSON, or a text; null if there was none, or if it was larger than 4 MiB or no text. */
  readonly body: unknown;
}

/** Returns the line of a change in a log; undefined if it is no response of the platform. */
export function recordedExchange(
  change: Parameters<ExchangeListener>[0],
  response: Parameters<ExchangeListener>[1],
  hasPersonalData: boolean,
): RecordedExchange | undefined {
  if (change === 'state' || !response || !('content' in response)) return undefined;
  const masked = (body: unknown): unknown => (hasPersonalData ? body : redactBody(body, (text) => text)) ?? null;
  const { receivedAt, endpoint = null, method, path, query, body } = change;
  return {
    time: new Date(receivedAt).toISOString(),
    endpoint,
    method,
    path,
    query,
    request: masked(body),
    status: response.status,
    headers: response.headers,
    body: masked(response.content),
  };
}
