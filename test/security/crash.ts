import { Corridor } from 'corridor-sdk';

// A program whose call fails, and that forgot to handle it: what Node prints then must hold no secret.
void new Corridor({ retries: 0 }).customers.get('cus_1');
