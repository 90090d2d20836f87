import { runInNewContext } from 'node:vm';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { paymentListParams } from 'corridor-sdk/schemas';
import { expect, test } from 'vitest';
import { failureOf } from '../../support/failure-of.ts';

// Values as in the environments of Jest and in an iframe: their classes are not those of the SDK.
const foreign = <T>(expression: string): T => runInNewContext(expression) as T;
const setUp = () => {
  const platform = createMockPlatform({ seed: 1 });
  return { platform, corridor: new Corridor(platform.clientOptions()) };
};

test('a Date of another realm is a time', async () => {
  const { platform, corridor } = setUp();
  platform.payments.add({ id: 'pay_1' });
  const [before, after] = [foreign<Date>('new Date(0)'), foreign<Date>('new Date(Date.now() + 3_600_000)')];

  expect((await corridor.payments.list({ createdFrom: before })).items).toHaveLength(1);
  expect(await corridor.payments.list({ createdFrom: after }).toArray()).toEqual([]);
  expect(paymentListParams.safeParse({ createdFrom: before })).toMatchObject({ success: true });
  for await (const change of corridor.payments.changes({ since: before, once: true }))
    expect(change.payment.id).toBe('pay_1');
  const invalid = foreign<Date>('new Date(NaN)');
  const endless = corridor.payments.changes({ since: invalid });
  expect((await failureOf(endless.next())).message).toContain('since must be a checkpoint');
  expect(await failureOf(corridor.payments.list({ createdFrom: invalid }))).toMatchObject({
    issues: [{ path: 'createdFrom', message: 'must be a valid Date' }],
  });
});

test('a later change of a Date of another realm does not change the list', async () => {
  const { platform, corridor } = setUp();
  platform.payments.addMany(3);
  const createdFrom = foreign<Date>('new Date(0)');
  const list = corridor.payments.list({ createdFrom, limit: 1 });
  createdFrom.setFullYear(2030);

  expect(await list.toArray()).toHaveLength(3);
});

test('the mock takes bytes and copies objects of another realm', async () => {
  const { platform, corridor } = setUp();
  const { id } = platform.documents.add({ content: foreign<Uint8Array>('Uint8Array.of(1, 2)') });
  const networks = foreign<{ nested: { value: string } }>("({ nested: { value: 'before' } })");
  platform.respond('crypto.networks', { body: networks });
  networks.nested.value = 'after';

  expect(await corridor.request({ method: 'GET', path: '/api/v1/crypto/networks' })).toEqual({
    nested: { value: 'before' },
  });
  expect(await (await corridor.documents.download(id)).bytes()).toEqual(Uint8Array.of(1, 2));
});
