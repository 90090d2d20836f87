import type { endpoints, EndpointName } from '../contract/endpoints.js';
import type { ResultOf } from '../contract/endpoint.js';
import type { ResolvedDialect } from '../contract/dialect.js';
import type { Schema } from '../contract/schema.js';
import type { OrganizationState } from './state.js';

/** An endpoint's row in the table. */
export type Row<Name extends EndpointName> = (typeof endpoints)[Name];

/** The names of the ids in a path. */
export type ParametersIn<Path extends string> = Path extends `${string}{${infer Parameter}}${infer Rest}` ? Parameter | ParametersIn<Rest> : never;

/** The filters of an endpoint. */
export type QueryOf<E> = E extends { readonly query: Schema<infer Query> } ? Query : Record<never, never>;

/** The body of an endpoint; undefined where it takes none. */
export type BodyOf<E> = E extends { readonly body: (dialect: ResolvedDialect) => infer S } ? (S extends ReturnType<Schema<infer Body>> ? Body : never)
  : E extends { readonly body: Schema<infer Body> } ? Body : undefined;

/** A request that was let in: credentials verified, query and body checked by the contract. */
export interface Call<Name extends EndpointName> {
  readonly organization: OrganizationState;
  readonly parameters: { readonly [Parameter in ParametersIn<Row<Name>['path']>]: string };
  readonly query: QueryOf<Row<Name>>;
  readonly body: BodyOf<Row<Name>>;
  /** The base URL under which the platform was reached; signed URLs lie below it. */
  readonly base: string;
}

/** What an endpoint does: gives the body of its answer, or throws a `Refusal`. Each also gives its commits to the state, at once. */
export type Answers = { readonly [Name in EndpointName]: (call: Call<Name>) => ResultOf<Row<Name>> };

/** What the endpoints of a namespace do. */
export type AnswersOf<Namespace extends string> = Pick<Answers, Extract<EndpointName, `${Namespace}.${string}`>>;
