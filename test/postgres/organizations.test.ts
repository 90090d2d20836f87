import { randomUUID } from 'node:crypto';
import { Corridor } from 'corridor-sdk';
import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { PostgresMirror } from 'corridor-sdk/mirror/postgres';
import { createMockPlatform } from 'corridor-sdk/mock';
import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

test('many organizations pay and are copied with two connections for all journals, and two for all mirrors', async () => {
  const settings = { connectionString: process.env['CORRIDOR_TEST_POSTGRES'], max: 2 };
  const pools = { journals: new Pool(settings), mirrors: new Pool(settings) };
  const prefix = `org_${randomUUID().slice(0, 8)}`;
  const platform = createMockPlatform();
  const organizations = Array.from({ length: 25 }, (_, index) => {
    const organization = platform.organization();
    const name = `${prefix}_${index}`;
    const journal = new PostgresJournal(pools.journals, { table: `journal_${name}` });
    return { name, organization, corridor: new Corridor({ ...organization.clientOptions(), journal }) };
  });
  onTestFinished(async () => {
    for (const { name } of organizations) {
      await pools.mirrors.query(`drop schema if exists "mirror_${name}" cascade`);
      await pools.mirrors.query(`drop table if exists "journal_${name}"`);
    }
    await Promise.all([pools.journals.end(), pools.mirrors.end()]);
  });

  for (const { name } of organizations) await pools.journals.query(postgresMigration(`journal_${name}`));
  const paid = await Promise.all(
    organizations.map(({ organization, corridor }) =>
      corridor.payments.createOnce(organization.payments.createParams(), { idempotencyKey: 'order-1' }),
    ),
  );
  expect(organizations.map(({ organization }) => organization.payments.all().map(({ id }) => id))).toEqual(
    paid.map(({ payment }) => [payment.id]),
  );

  const copied = await Promise.all(
    organizations.map(({ name, corridor }) =>
      corridor.sync(new PostgresMirror(pools.mirrors, { schema: `mirror_${name}` }), { once: true }),
    ),
  );
  for (const { read } of copied) expect(read.payment).toBeGreaterThan(0);
});
