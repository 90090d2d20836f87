import { SqliteMirror } from '../../dist/mirror/sqlite.js';
import { corridorOf } from '../clients/corridor.ts';

// Fills a mirror in a SQLite file, then runs once without changes. Reports the time and the CPU time of the fill, the
// largest memory of the process, and the number of requests of both.
const [url = '', privateKey = '', path = ''] = process.argv.slice(2);
const corridor = corridorOf({ url, privateKey });
const mirror = new SqliteMirror(path);
const requests = async (): Promise<number> => Number(await (await fetch(`${url}/requests`)).text());

await requests();
const began = performance.now();
const used = process.cpuUsage();
const { read } = await corridor.sync(mirror, { once: true, concurrency: 8 });
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(used);
const processor = (user + system) / 1000;
const filled = await requests();
await corridor.sync(mirror, { once: true });
const memory = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ seconds, processor, items: read.payment, memory, filled, idle: await requests() }));
