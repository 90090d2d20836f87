import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Corridor } from '../../dist/index.js';
import { SqliteJournal } from '../../dist/journal/sqlite.js';
import { SqliteMirror } from '../../dist/mirror/sqlite.js';

// Serves many organizations in one process, each with its own key, journal and mirror, and prints what each step adds.
// Requires Linux and node --expose-gc. Arguments: the URL of the server, a folder and the number of organizations.
const [baseUrl = '', folder = '', count = '200'] = process.argv.slice(2);
const collect = (globalThis as unknown as { readonly gc: () => void }).gc;

interface Usage {
  readonly heap: number;
  readonly memory: number;
  readonly files: number;
  readonly sockets: number;
}

function usage(): Usage {
  collect();
  collect();
  const open = readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)];
    } catch {
      return []; // The one that lists the folder is closed by now.
    }
  });
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heap: heapUsed + external,
    memory: rss,
    files: open.filter((path) => path.startsWith(folder)).length,
    sockets: open.filter((path) => path.startsWith('socket:')).length,
  };
}

const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
const newKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048, privateKeyEncoding, publicKeyEncoding }).privateKey;
const call = async (client: Corridor): Promise<unknown> => client.payments.list({ limit: 1 });

/** Serves organizations, and returns what each step adds for all of them, and the sockets that are open after it. */
async function serve(prefix: string, number: number): Promise<(Usage & { readonly step: string })[]> {
  const organizations = Array.from({ length: number }, (_, index) => ({
    file: join(folder, `${prefix}-${index}`),
    apiKey: `${prefix}-${index}`,
    privateKey: newKey(),
  }));
  const steps: (Usage & { readonly step: string })[] = [];
  const measure = async <T>(step: string, act: () => T | Promise<T>): Promise<T> => {
    const before = usage();
    const result = await act();
    const after = usage();
    steps.push({
      step,
      heap: after.heap - before.heap,
      memory: after.memory - before.memory,
      files: after.files - before.files,
      sockets: after.sockets,
    });
    return result;
  };
  const clients = await measure('a client', () =>
    organizations.map(({ apiKey, privateKey }) => new Corridor({ baseUrl, apiKey, privateKey })),
  );
  await measure('its first request, one client after the other', async () => {
    for (const client of clients) await call(client);
  });
  await measure('a request of each client at once', () => Promise.all(clients.map(call)));
  const journals = await measure('a journal in SQLite', async () => {
    const opened = organizations.map(({ file }) => new SqliteJournal(`${file}-journal.sqlite`));
    for (const journal of opened) await journal.listPending();
    return opened;
  });
  const mirrors = await measure('a mirror in SQLite, of 100 payments', async () => {
    const opened = organizations.map(({ file }) => new SqliteMirror(`${file}-mirror.sqlite`));
    for (const [index, mirror] of opened.entries()) await clients[index]?.sync(mirror, { once: true });
    return opened;
  });
  for (const opened of [...journals, ...mirrors]) opened.close();
  return steps;
}

// Not what the first ones of a process load.
await serve('warm', 20);
console.log(JSON.stringify(await serve('org', Number(count))));
process.exit(0);
