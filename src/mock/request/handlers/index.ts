import { crypto } from './crypto.js';
import { customers } from './customers.js';
import { documents } from './documents.js';
import { payments } from './payments.js';
import { screening } from './screening.js';
import { support } from './support.js';
import type { EndpointName } from '../../../contract/endpoints.js';
import type { HandlerContext, Handlers } from './handler.js';

/** The handlers of all endpoints. */
export const handlers = {
  ...payments,
  ...customers,
  ...screening,
  ...crypto,
  ...support,
  ...documents,
} satisfies Handlers as Readonly<Record<EndpointName, (context: HandlerContext<EndpointName>) => unknown>>;
