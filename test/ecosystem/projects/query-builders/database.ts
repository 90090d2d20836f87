import assert from 'node:assert/strict';
import { Client } from 'pg';

const { CORRIDOR_TEST_POSTGRES: server } = process.env;
assert.ok(server !== undefined, 'CORRIDOR_TEST_POSTGRES must be the address of a PostgreSQL server for tests');

async function execute(statement: string, connectionString = server): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** A database of a test. */
export interface TestDatabase {
  readonly url: string;
  execute(statement: string): Promise<void>;
  /** Removes the database, whose connections must be closed. */
  drop(): Promise<void>;
}

/** Creates an empty database. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `builders_${crypto.randomUUID().replaceAll('-', '')}`;
  await execute(`create database ${name}`);
  const address = new URL(String(server));
  address.pathname = name;
  // Without force, which would end the connections that a pool is still closing.
  const url = String(address);
  return {
    url,
    execute: (statement) => execute(statement, url),
    drop: () => execute(`drop database ${name}`),
  };
}
