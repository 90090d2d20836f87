import type * as z from 'zod/mini';
import type { ResolvedDialect } from './dialect.js';
import type { Schema } from './schema/schema.js';

/** The body of a successful response: JSON with a known schema, any body, or a body that is not read. */
export type ResponseKind = 'json' | 'anything' | 'nothing';

/** One endpoint of the platform. */
export interface EndpointDefinition<Result> {
  /** Its number in the specification. */
  readonly number: number;
  /** Its HTTP method. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Its path, with `{name}` for each id. */
  readonly path: string;
  /** The filters it takes. */
  readonly query?: Schema<object>;
  /** The body it takes. */
  readonly body?: (dialect: ResolvedDialect) => z.ZodMiniType<object>;
  /** The kind of its response body. */
  readonly response: ResponseKind;
  /** The schema of the response body, if `response` is `json`. */
  readonly result?: Schema<Result>;
  /** The success status of the mock. Assumed: A-3, clients accept any 2xx. */
  readonly success: 200 | 201 | 204;
}

/** The type of an endpoint's response body. */
export type ResultOf<E> = E extends EndpointDefinition<infer Result> ? Result : never;

/** Returns the names of the ids in a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}
