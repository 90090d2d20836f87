import { Corridor, type CorridorOptions, type PaymentCreateParams } from 'corridor-sdk';
import {
  createMockPlatform,
  type MockOrganization,
  type MockPlatform,
  type MockPlatformOptions,
} from 'corridor-sdk/mock';

/** The fixed time of the clocks in these tests. */
export const start = '2026-03-01T09:00:00.000Z';

/** Creates a platform whose clock is fixed at `start`. */
export function platformAtStart(options: MockPlatformOptions = {}): MockPlatform {
  return createMockPlatform({ now: () => Date.parse(start), ...options });
}

/** Adds the records for a valid payment and returns its parameters; `replaced` overrides its fields. */
export function payablePayment(
  organization: MockOrganization,
  replaced: Partial<PaymentCreateParams> = {},
): PaymentCreateParams {
  const params = { amount: '1250.00', currencyCode: 'MXN', purposeOfPayment: 'Machine parts' } as const;
  return { ...organization.payments.createParams(params), ...replaced };
}

/** Creates a client of a platform that sends each request once. */
export function clientOf(platform: MockPlatform, options: CorridorOptions = {}): Corridor {
  return new Corridor({ ...platform.clientOptions(), maxRetries: 0, ...options });
}
