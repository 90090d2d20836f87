import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import { environmentOf } from '../cli/corridor.ts';

export const connectionString = String(process.env['CORRIDOR_TEST_POSTGRES']);

/** Serves a platform, and chooses a schema for its copy, which is removed when the test ends. */
export async function serveWithSchema(name: string): Promise<{
  readonly platform: MockPlatformServer['platform'];
  readonly environment: Awaited<ReturnType<typeof environmentOf>>;
  readonly schema: string;
  readonly pool: Pool;
}> {
  const schema = `${name}_${process.pid}_${Date.now()}`;
  const pool = new Pool({ connectionString });
  onTestFinished(async () => {
    await pool.query(`drop schema if exists "${schema}" cascade`);
    await pool.end();
  });
  const served = await serveMockPlatform();
  onTestFinished(() => served.close());
  return { platform: served.platform, environment: await environmentOf(served), schema, pool };
}
