import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpointNames } from 'corridor-sdk';
import type { ServedMockPlatform } from 'corridor-sdk/mock/node';
import { loadProgram, type Program } from './partner/index.ts';
import type { World } from './partner/world.ts';
import { servedWorld } from './world.ts';

let served: ServedMockPlatform;
let world: World;
let program: Program;

before(async () => {
  ({ served, world } = await servedWorld());
  program = await loadProgram();
  program.connect(await served.credentials());
});

after(() => served.close());

test('a generated client completes all 14 calls', async () => {
  const payments = served.platform.payments.all().length;

  await program.completeAllCalls(world);

  const { requests, tickets, documents } = served.platform;
  assert.deepEqual(endpointNames.filter((name) => requests.of(name).length === 0), []);
  assert.deepEqual(requests.filter(({ status = 0 }) => status >= 300), []);
  assert.equal(served.platform.payments.all().length, payments + 2);
  assert.equal(tickets.get(world.ticketId)?.replies.length, 1);
  assert.equal(documents.get(world.documentId), undefined);
});

test('a generated client is told of a refusal', async () => {
  assert.deepEqual(await program.readCustomer('unknown'), { status: 404, code: 'not_found', customer: undefined });
});

test('a generated client takes what a platform may add', async () => {
  served.platform.faults.sequence('customers.get', [{ kind: 'unknown-field' }, { kind: 'unknown-status' }]);
  const added = await program.readCustomer(world.customerId);
  const moved = await program.readCustomer(world.customerId);
  assert.equal(added.customer?.id, world.customerId);
  assert.ok(!['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'].includes(moved.customer?.status ?? 'APPROVED'));
});

test('a generated client whose requests are not signed is refused', async () => {
  program.disconnect();
  assert.deepEqual(await program.readCustomer(world.customerId), { status: 401, code: 'missing_api_key', customer: undefined });
});
