import { Corridor, CorridorError } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

async function main() {
  const platform = createMockPlatform({ seed: 1 });
  platform.payments.addMany(30);
  const corridor = new Corridor(platform.clientOptions());
  const payments = await corridor.payments.list({ limit: 10 }).toArray();
  const error = await corridor.customers.get('cus_unknown').catch((reason) => reason);
  console.log(payments.length, error instanceof CorridorError, error.name, error.outcome);
}

void main();
