import { Corridor } from 'corridor-sdk';
import { PostgresJournal } from 'corridor-sdk/journal/postgres';
import { PostgresMirror } from 'corridor-sdk/mirror/postgres';
import { Pool } from 'pg';
import { pino } from 'pino';
import { createApp } from './app.ts';
import { migrate } from './database.ts';
import { keepUpToDate } from './payments.ts';

// DATABASE_URL, PORT, and CORRIDOR_BASE_URL, CORRIDOR_API_KEY, CORRIDOR_PRIVATE_KEY
const log = pino({ level: process.env.LOG_LEVEL ?? 'info' });
const pool = new Pool({ connectionString: process.env.DATABASE_URL });
// Without a listener, an idle connection that breaks would end the process.
pool.on('error', (error) => log.warn({ err: error }, 'a database connection broke'));
const corridor = new Corridor({ journal: new PostgresJournal(pool), logger: log });
const services = { corridor, mirror: new PostgresMirror(pool), pool, log };
const stopping = new AbortController();
const app = createApp(corridor, pool, { loggerInstance: log });

await corridor.ready();
await migrate(pool);
await app.listen({ host: process.env.HOST ?? '127.0.0.1', port: Number(process.env.PORT ?? 3000) });
// In the background: during an outage of the platform, this process can still start.
const upToDate = keepUpToDate(services, stopping.signal);

// Stops accepting requests, waits for the work in progress, then closes the database.
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    log.info({ signal }, 'shutting down');
    stopping.abort();
    Promise.all([app.close(), upToDate])
      .then(() => pool.end())
      .catch((error: unknown) => {
        log.error({ err: error }, 'could not shut down');
        process.exitCode = 1;
      });
  });
