import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { MockPlatformServer } from 'corridor-sdk/mock/node';
import { loadProgram, type Program } from './partner/index.ts';
import type { Fixture } from './partner/fixture.ts';
import { serveFixture } from './fixture.ts';

let served: MockPlatformServer;
let fixture: Fixture;
let program: Program;

before(async () => {
  ({ served, fixture } = await serveFixture());
  program = await loadProgram();
  program.connect(await served.credentials());
});

after(() => served.close());

test('a generated client completes its calls', async () => {
  const payments = served.platform.payments.all().length;

  await program.completeAllCalls(fixture);

  const { requests, tickets, documents } = served.platform;
  assert.deepEqual(
    requests.filter(({ status = 0 }) => status >= 300),
    [],
  );
  assert.equal(served.platform.payments.all().length, payments + 2);
  assert.equal(tickets.get(fixture.ticketId)?.replies.length, 1);
  assert.equal(documents.get(fixture.documentId), undefined);
});

test('a generated client receives an error response', async () => {
  assert.deepEqual(await program.readCustomer('unknown'), { status: 404, code: 'not_found', customer: undefined });
});

test('a generated client accepts additions of a platform', async () => {
  served.platform.faults.sequence('customers.get', [
    { kind: 'response', patch: { addedByThePlatform: 1 } },
    { kind: 'response', patch: { status: 'NEW_STATUS' } },
  ]);
  const added = await program.readCustomer(fixture.customerId);
  const moved = await program.readCustomer(fixture.customerId);
  assert.equal(added.customer?.id, fixture.customerId);
  assert.ok(
    !['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'].includes(
      moved.customer?.status ?? 'APPROVED',
    ),
  );
});

test('a generated client whose requests are not signed is rejected', async () => {
  program.disconnect();
  assert.deepEqual(await program.readCustomer(fixture.customerId), {
    status: 401,
    code: 'missing_api_key',
    customer: undefined,
  });
});
