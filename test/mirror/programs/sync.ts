import { Corridor } from 'corridor-sdk';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';

// One of several processes that keep one mirror true, with lists of which some show an earlier state.
const [, , path = '', lag = '0'] = process.argv;

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
const mirror = new SqliteMirror(path, { sensitive: true, busyTimeout: 200 });
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
