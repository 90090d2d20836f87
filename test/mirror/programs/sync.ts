import { Corridor } from 'corridor-sdk';
import { PostgresMirror } from 'corridor-sdk/mirror/postgres';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { Pool } from 'pg';

// One of several processes that keep one mirror true, with lists of which some show an earlier state.
// The first argument is a file, or the URL and the schema of a PostgreSQL database.
const [, , place = '', lag = '0'] = process.argv;

const earlier = new Map<string, { readonly at: number; readonly body: string }>();
const corridor = new Corridor({
  fetch: async (input, init) => {
    const request = new Request(input, init);
    const known = earlier.get(request.url);
    const response = await fetch(request);
    const body = await response.text();
    const isLagging = known !== undefined && performance.now() - known.at < Number(lag) && Math.random() < 0.3;
    if (!isLagging && response.ok) earlier.set(request.url, { at: performance.now(), body });
    return new Response(isLagging ? known.body : body, { status: response.status, headers: response.headers });
  },
});
const [connectionString = '', schema = ''] = place.split(' ');
const pool = new Pool({ connectionString, max: 2 });
// A connection that the server closes while it is not in use.
pool.on('error', () => {});
const mirror = place.startsWith('postgres:')
  ? new PostgresMirror(pool, { sensitive: true, schema })
  : new SqliteMirror(place, { sensitive: true, busyTimeout: 200 });
console.log('ready');
await corridor.sync(mirror, {
  pollInterval: 20,
  maxPollInterval: 100,
  consistencyWindow: 2 * Number(lag),
  customersInterval: 200,
  beneficiariesInterval: 2_000,
  recentInterval: 2_000,
  fullInterval: 5_000,
  onProgress: ({ changes }) => console.log('synchronized', changes),
});
