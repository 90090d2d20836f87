import type * as z from 'zod/mini';
import type { ResolvedDialect } from './dialect.js';
import type { Schema } from './schema.js';

/** What a successful answer carries: JSON of a known shape, anything at all, or nothing we read. */
export type AnswerKind = 'json' | 'anything' | 'nothing';

/** One endpoint of the platform. */
export interface Endpoint<Result> {
  /** Its number in the specification. */
  readonly number: number;
  /** Its HTTP method. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Its path, with `{name}` where an id stands. */
  readonly path: string;
  /** The filters it takes. */
  readonly query?: Schema<object>;
  /** The body it takes. */
  readonly body?: (dialect: ResolvedDialect) => z.ZodMiniType<object>;
  /** What it answers. */
  readonly answer: AnswerKind;
  /** The shape of the answer, where it is JSON of a known shape. */
  readonly result?: Schema<Result>;
  /** The status the mock answers with. Assumed: A-3, clients take any 2xx. */
  readonly success: 200 | 201 | 204;
}

/** What an endpoint's call resolves to on the wire. */
export type ResultOf<E> = E extends Endpoint<infer Result> ? Result : never;

/** The names of the ids in a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}
