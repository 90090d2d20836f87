import type { Corridor } from 'corridor-sdk';
import { FaultyPlatform, type Fate } from '../faulty-platform.ts';

/** Creates a payment on a new platform with these fates. */
export async function makeOnce(
  fates: readonly Fate[],
  options: Parameters<Corridor['payments']['createOnce']>[1] = {},
  arrange: (faulty: FaultyPlatform) => void = () => {},
) {
  const faulty = new FaultyPlatform().fate(...fates);
  arrange(faulty);
  const corridor = faulty.client();
  const payment = faulty.payable();
  const result = faulty.run(() => corridor.payments.createOnce(payment, options));
  return { faulty, corridor, payment, result };
}
