import { crypto } from './answers/crypto.js';
import { customers } from './answers/customers.js';
import { documents } from './answers/documents.js';
import { payments } from './answers/payments.js';
import { screening } from './answers/screening.js';
import { support } from './answers/support.js';
import type { Answers } from './call.js';

/** What each endpoint does. */
export const answers: Answers = { ...payments, ...customers, ...screening, ...crypto, ...support, ...documents };
