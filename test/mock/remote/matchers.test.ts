import { Corridor } from 'corridor-sdk';
import { connectMockPlatform, type RemoteMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import 'corridor-sdk/mock/vitest';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let served: MockPlatformServer;
let platform: RemoteMockPlatform;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true });
  platform = await connectMockPlatform(served.url);
});
beforeEach(() => served.platform.reset());
afterAll(() => served.close());

test('matchers accept a remote platform, and its organizations', async () => {
  const acme = await platform.organization();
  await new Corridor(await acme.clientOptions()).payments.create(await acme.payments.createParams());
  await expect(platform).toHaveReceived('payments.create');
  await expect(platform).toHaveCreatedExactly(1, 'payments');
  await expect(acme).toHaveCreatedExactly(1, 'payments');
  await expect(platform).not.toHaveRejected();
  await expect(platform).toHaveTriggeredAllFaults();
});

test('matchers report why they fail', async () => {
  await expect(async () => expect(platform).toHaveReceived('payments.create')).rejects.toThrow(
    'Received no request to payments.create.',
  );
  await platform.faults.next('payments.list', { kind: 'reset' });
  await expect(async () => expect(platform).toHaveTriggeredAllFaults()).rejects.toThrow('1 of 1 fault did not happen');
});
