import type { EndpointName } from '../../contract/endpoints.js';
import { redactBody } from '../../contract/redact.js';

/** An exchange with a platform, without keys, tokens and the signatures of URLs: a line of a recording. */
export interface RecordedExchange {
  /** The time of the request in ISO 8601 format. */
  readonly time: string;
  readonly endpoint: EndpointName | null;
  readonly method: string;
  /** The path, without the path of the base URL. */
  readonly path: string;
  /** The query with its question mark; empty if there is no query. */
  readonly search: string;
  /** The body of the request: JSON, or a text; null if there was none. */
  readonly request: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the response: JSON, or a text; null if there was none, or if it was larger than 4 MiB or no text. */
  readonly body: unknown;
  /** The milliseconds from the request to the end of the response. */
  readonly duration: number;
}

/** Masks what the contract marks as personal in a recorded exchange. */
export function withoutPersonalData(exchange: RecordedExchange): RecordedExchange {
  const mask = (body: unknown): unknown => redactBody(body, (text) => text);
  return { ...exchange, request: mask(exchange.request), body: mask(exchange.body) };
}
