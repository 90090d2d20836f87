import type { MockPlatform } from 'corridor-sdk/mock';

/** Returns all records of a platform. */
export const dataOf = (platform: MockPlatform): unknown =>
  (['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const).map((kind) =>
    platform[kind].all(),
  );
