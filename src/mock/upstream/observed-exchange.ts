import type { EndpointName } from '../../contract/endpoints.js';
import { parseTime } from '../../contract/schema/time.js';
import type { DriftKind } from '../../contract/violations.js';

/** A response of a platform: of any status. */
export interface ObservedResponse {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly headers: Headers;
  readonly body: unknown;
  /** The platform's error code. */
  readonly code?: string | undefined;
}

/** What a probe looks at: a response, and what asked for it. */
export interface ObservedExchange extends ObservedResponse {
  /** What asked for it, in texts: the endpoint by default. */
  readonly about?: string;
  readonly endpoint?: EndpointName | undefined;
  /** The filters of the request, by the contract's names. */
  readonly filters?: Fields;
  /** The differences between the body and the contract. */
  readonly drift?: readonly { readonly endpoint: string; readonly path: string; readonly kind: DriftKind }[];
  /** The times of the request and of the end of its response, in milliseconds since the epoch. */
  readonly sentAt?: number;
  readonly endedAt?: number;
}

/** A record as the platform sent it; its fields can have any value. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a value that should be a record. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** Returns the records of a page, or of a list without pages. */
export function itemsOf({ body }: Pick<ObservedResponse, 'body'>): readonly Fields[] {
  const { items = body } = fieldsOf(body);
  return Array.isArray(items) ? items.map(fieldsOf) : [];
}

/** Returns a list with the records of several responses, whose differences are `drift`. */
export const listOf = (items: readonly Fields[], drift: ObservedExchange['drift'] = []): ObservedExchange => ({
  endpoint: 'payments.list',
  status: 200,
  requestId: undefined,
  headers: new Headers(),
  body: { items },
  drift,
});

/** Returns the code and the message of an error body in one of the known shapes. */
export function errorIn(body: unknown): { readonly code: string | undefined; readonly message: string | undefined } {
  const fields = fieldsOf(body);
  const { code, message, detail, title } = { ...fields, ...fieldsOf(fields['error']) };
  const text = [message, detail, title].find((each) => typeof each === 'string');
  return { code: typeof code === 'string' ? code : undefined, message: text as string | undefined };
}

/** Describes a response by its status, its error code and its request id. */
export function describeResponse({ status, code, requestId }: ObservedResponse): string {
  return [`status ${status}`, ...(code === undefined ? [] : [identifier(code)]), ...requestOf(requestId)].join(', ');
}

/** Returns a value of the platform if it is an identifier: other texts could contain personal data. */
export const identifier = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:/-]{1,60}$/.test(value) ? value : '(withheld)';

/** Returns the request id for an evidence. */
export const requestOf = (requestId: string | undefined): string[] =>
  requestId === undefined ? [] : [`request ${identifier(requestId)}`];

/** Checks whether a response is a success. */
export const isSuccess = ({ status }: Pick<ObservedResponse, 'status'>): boolean => status >= 200 && status < 300;

/** Returns the time of a field in milliseconds; undefined if it has no valid timestamp. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? parseTime(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
