import { Corridor } from 'corridor-sdk';

// A program with an unhandled rejection of a call: the output of Node must contain no secret.
void new Corridor({ maxRetries: 0 }).customers.get('cus_1');
