import { expect, test } from 'vitest';
import { Corridor } from '../../dist/index.js';
import { createMockPlatform } from '../../dist/mock/index.js';

/** Defines tests of a partner, each with its own platform, client and records, and five signed calls. */
export function defineTests(first: number, count: number): void {
  test.each(Array.from({ length: count }, (_, index) => first + index))(
    'platform %i has its own records',
    async (seed) => {
      const platform = createMockPlatform({ seed });
      const params = platform.payments.createParams();
      const corridor = new Corridor(platform.clientOptions());
      await corridor.customers.get(params.customerId);
      const [payee] = await corridor.customers.beneficiaries(params.customerId).toArray();
      const { id } = await corridor.payments.create(params);
      const { items } = await corridor.payments.list();
      await corridor.documents.downloadUrl(params.documentIds[0] ?? '');
      expect(payee?.id).toBe(params.beneficiaryId);
      expect(items.map((payment) => payment.id)).toEqual([id]);
      expect(platform.requests).toHaveLength(5);
    },
  );
}
