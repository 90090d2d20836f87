import { Corridor } from 'corridor-sdk';

// Its own bundle holds the client alone.
const corridor = new Corridor();
for await (const payment of corridor.payments.list({ limit: 10 })) console.log(payment.id);
