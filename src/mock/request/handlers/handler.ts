import type { EndpointName, ResultOf } from '../../../contract/endpoints.js';
import type { BodyOf, EndpointOf, ParamsIn, QueryOf } from '../../wire/request-log.js';
import type { OrganizationState } from '../../state/platform-state.js';

/** An authenticated request, with its query and body validated by the contract. */
export interface HandlerContext<Name extends EndpointName> {
  readonly organization: OrganizationState;
  readonly params: { readonly [Parameter in ParamsIn<EndpointOf<Name>['path']>]: string };
  readonly query: QueryOf<EndpointOf<Name>>;
  readonly body: BodyOf<EndpointOf<Name>>;
  /** The base URL that the request was sent to; signed URLs start with it. */
  readonly base: string;
}

/**
 * Handlers by endpoint: each synchronously changes the state and returns the body of its response, or throws an
 * `HttpError`.
 */
export type Handlers = {
  readonly [Name in EndpointName]: (context: HandlerContext<Name>) => ResultOf<EndpointOf<Name>>;
};

/** The handlers of a namespace. */
export type HandlersFor<Namespace extends string> = Pick<Handlers, Extract<EndpointName, `${Namespace}.${string}`>>;
