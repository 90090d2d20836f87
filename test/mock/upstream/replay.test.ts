import { createMockPlatform, MockPlatformError, replayRecording } from 'corridor-sdk/mock';
import { Corridor, NotFoundError } from 'corridor-sdk';
import { expect, test } from 'vitest';
import { inFrontOfMock, recordingOf, type InFrontOfMock } from './fixture.ts';

/** Records what a client does with a platform. */
async function recorded(work: (front: InFrontOfMock) => Promise<unknown>): Promise<string> {
  const front = await inFrontOfMock();
  const lines = recordingOf(front.proxy);
  await work(front);
  return lines.join('\n');
}

function replaying(recording: string): Corridor {
  const platform = createMockPlatform();
  replayRecording(platform, recording);
  return new Corridor({ ...platform.clientOptions(), maxRetries: 0 });
}

test('requests get what the platform said, in its order, and the last response stays', async () => {
  const recording = await recorded(async ({ corridor, real }) => {
    const { id } = real.payments.add({ id: 'pay_1', status: 'PROCESSING' });
    await corridor.payments.list({ limit: 10 });
    real.payments.transition(id, 'COMPLETED');
    await corridor.payments.list({ limit: 10 });
    await corridor.customers.get('cus_unknown').catch(() => undefined);
  });

  const corridor = replaying(recording);

  for (const status of ['PROCESSING', 'COMPLETED', 'COMPLETED'])
    expect((await corridor.payments.list({ limit: 10 })).items[0]?.status).toBe(status);
  await expect(corridor.customers.get('cus_unknown')).rejects.toThrow(NotFoundError);
});

test('a create gets the recorded payment, and changes nothing', async () => {
  let order: Parameters<Corridor['payments']['create']>[0] | undefined;
  const recording = await recorded(async ({ corridor, real }) => {
    order = real.payments.createParams();
    await corridor.payments.create(order);
  });

  const payment = await replaying(recording).payments.create(order ?? ({} as never));

  expect(payment).toMatchObject({ paymentQuoteId: order?.paymentQuoteId, status: 'PENDING_REVIEW' });
});

test('personal data is masked by the marks of the contract, and keeps its type', async () => {
  const recording = await recorded(async ({ corridor, real }) => {
    real.customers.add({ companyName: 'Kestrel Minerals', status: 'APPROVED' });
    await corridor.customers.list();
  });

  const [customer] = (await replaying(recording).customers.list()).items;

  expect(recording).not.toContain('Kestrel');
  expect(customer).toMatchObject({ companyName: '[masked]', status: 'APPROVED' });
});

test('a request that the recording does not have fails with the nearest one', async () => {
  const corridor = replaying(
    await recorded(async (front) => {
      await front.corridor.payments.list({ limit: 10, status: 'COMPLETED' });
      await front.corridor.customers.list();
    }),
  );

  await expect(corridor.payments.list({ limit: 20, status: 'COMPLETED' })).rejects.toThrow(
    'the recording has no GET /api/v1/payment?limit=20&status=COMPLETED; ' +
      'the nearest is GET /api/v1/payment?limit=10&status=COMPLETED.',
  );
  await expect(corridor.customers.get('cus_1')).rejects.toThrow(
    'the recording has no GET /api/v1/customers/cus_1; the nearest is GET /api/v1/customers.',
  );
});

test('the order of parameters in a query does not matter', async () => {
  const line =
    '{"endpoint":"payments.list","method":"GET","path":"/api/v1/payment","query":{"status":"COMPLETED","limit":"5"}';
  const corridor = replaying(
    `${line},"status":200,"headers":{},"body":{"items":[],"nextCursor":null,"hasMore":false}}\n\n`,
  );
  expect((await corridor.payments.list({ limit: 5, status: 'COMPLETED' })).items).toEqual([]);
});

test.each([
  'hello',
  '{}',
  '[]',
  'null',
  '{"endpoint":"payments.pay","method":"GET","path":"/","query":{},"status":200,"headers":{}}',
])('rejects the line %s, which is no exchange', (line) => {
  const replay = (): void => replayRecording(createMockPlatform(), `\n${line}`);
  expect(replay).toThrow(MockPlatformError);
  expect(replay).toThrow('line 2 is not an exchange');
});
