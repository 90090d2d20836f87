import { crypto } from './crypto.js';
import { customers } from './customers.js';
import { documents } from './documents.js';
import { payments } from './payments.js';
import { screening } from './screening.js';
import { support } from './support.js';
import type { Handlers } from './handler.js';

/** The handlers of all endpoints. */
export const handlers: Handlers = { ...payments, ...customers, ...screening, ...crypto, ...support, ...documents };
