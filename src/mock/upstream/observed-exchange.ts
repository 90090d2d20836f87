import type { EndpointName } from '../../contract/endpoints.js';
import { errorIn } from '../../contract/schema/error-body.js';
import { parseTime } from '../../contract/schema/time.js';
import type { ContractViolation } from '../../contract/violations.js';
import { violationsOf } from '../request/validate.js';

/** What a probe looks at: a response of a platform, of any status, and what asked for it. */
export interface ObservedExchange {
  readonly endpoint: EndpointName | undefined;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly headers: Headers;
  readonly body: unknown;
  /** When and with which filters it was requested; undefined if its content says nothing about earlier exchanges. */
  readonly request?: {
    /** By the contract's names. */
    readonly filters: Fields;
    /** The times of the request and of the end of its response, in milliseconds since the epoch. */
    readonly sentAt: number;
    readonly endedAt: number;
  };
}

/** A record as the platform sent it; its fields can have any value. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a value that should be a record. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** Returns the records of a page, or of a list without pages. */
export function itemsOf({ body }: Pick<ObservedExchange, 'body'>): readonly Fields[] {
  const { items = body } = fieldsOf(body);
  return Array.isArray(items) ? items.map(fieldsOf) : [];
}

/** Returns the differences between a successful response and the contract. */
export function violationsIn(exchange: ObservedExchange): readonly ContractViolation[] {
  const { endpoint, headers, body } = exchange;
  const violations = isSuccess(exchange) ? violationsOf(endpoint, body) : [];
  if (violations.length === 0 || (typeof body === 'object' && body !== null)) return violations;
  const type = headers.get('content-type') ?? 'of no type';
  const message = `is ${body === undefined ? 'empty' : type.slice(0, 80)}, but must be JSON`;
  return [{ path: '', kind: 'wrong-type', breaking: true, message }];
}

/** Describes a response by its status, its error code and its request id. */
export function describeResponse(exchange: ObservedExchange): string {
  const { status, body, requestId } = exchange;
  const code = isSuccess(exchange) ? undefined : errorIn(body).code;
  return [`status ${status}`, ...(code === undefined ? [] : [identifier(code)]), ...requestOf(requestId)].join(', ');
}

/** Returns a value of the platform if it is an identifier: other texts could contain personal data. */
export const identifier = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:/-]{1,60}$/.test(value) ? value : '(withheld)';

/** Returns the request id for an evidence. */
export const requestOf = (requestId: string | undefined): string[] =>
  requestId === undefined ? [] : [`request ${identifier(requestId)}`];

/** Checks whether a response is a success. */
export const isSuccess = ({ status }: Pick<ObservedExchange, 'status'>): boolean => status >= 200 && status < 300;

/** Returns the time of a field in milliseconds; undefined if it has no valid timestamp. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? parseTime(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
