import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Pool } from 'pg';
import { Corridor } from '../../dist/index.js';
import { PostgresMirror } from '../../dist/mirror/postgres.js';
import { SqliteMirror } from '../../dist/mirror/sqlite.js';
import { apiKey } from '../clients/client.ts';

/** What a process that follows has done since it started. */
export interface FollowerReport {
  /** The time of each of its polls, in seconds, and the requests that each has sent. */
  readonly polls: readonly { readonly seconds: number; readonly requests: number }[];
  /** Whether it works on a poll now. */
  readonly isWorking: boolean;
  /** The longest time for which its event loop was blocked, in milliseconds. */
  readonly blocked: number;
  /** The largest memory of the process, in bytes. */
  readonly memory: number;
}

// Fills a mirror and ends, or follows and reports whenever it gets a message. Arguments: the URL of the server, the key, a
// file or the URL of a PostgreSQL, and `fill` or `follow`.
const [baseUrl = '', privateKey = '', place = '', what = ''] = process.argv.slice(2);
const polls: { readonly seconds: number; readonly requests: number }[] = [];
let isWorking = false;
let requests = 0;
const corridor = new Corridor({
  baseUrl,
  apiKey,
  privateKey,
  hooks: {
    onRequest: () => void (requests += 1),
    onWorkflow({ workflow, observe }) {
      if (workflow !== 'sync') return;
      isWorking = true;
      const before = requests;
      observe({
        end({ duration }) {
          isWorking = false;
          polls.push({ seconds: duration / 1_000, requests: requests - before });
        },
      });
    },
  },
});
const mirror = place.startsWith('postgres:')
  ? new PostgresMirror(new Pool({ connectionString: place }), { schema: 'bench' })
  : new SqliteMirror(place);
const memory = (): number => process.resourceUsage().maxRSS * 1024;

if (what === 'fill') {
  const began = performance.now();
  const { read } = await corridor.sync(mirror, { once: true, concurrency: 8 });
  const seconds = (performance.now() - began) / 1_000;
  console.log(JSON.stringify({ seconds, items: read.payment, memory: memory() }));
  process.exit();
}
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on('message', () => {
  const report: FollowerReport = { polls, isWorking, blocked: delay.max / 1e6, memory: memory() };
  process.send?.(report);
});
process.send?.('ready');
await corridor.sync(mirror, { pollInterval: 2_000, maxPollInterval: 2_000 });
