import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { runSuite } from './suite.js';

// For Node, Bun and Deno: the suite with the ES modules and with the CommonJS build. What it finds is the last line that is printed.
const world = JSON.parse(process.env['CORRIDOR_WORLD']);
const require = createRequire(import.meta.url);
const builds = {
  'ES modules': { sdk: await import('corridor-sdk'), mock: await import('corridor-sdk/mock'), node: await import('corridor-sdk/mock/node') },
  CommonJS: { sdk: require('corridor-sdk'), mock: require('corridor-sdk/mock'), node: require('corridor-sdk/mock/node') },
};

const results = [];
for (const [build, packages] of Object.entries(builds)) {
  const found = await runSuite(packages, world);
  console.log(inspect(new packages.sdk.Corridor({ ...world.served }), { depth: 10, showHidden: true }));
  found.push(await own('the mock serves over HTTP', async () => {
    const served = await packages.node.serveMockPlatform({ seed: 1 });
    const { id } = served.platform.customers.add();
    const customer = await new packages.sdk.Corridor(served.clientOptions()).customers.get(id);
    await served.close();
    if (customer.id !== id) throw new Error('another customer');
  }));
  if (world.sqlite) {
    found.push(await own('a SQLite file keeps intents', async () => {
      const { SqliteJournal } = build === 'CommonJS' ? require('corridor-sdk/journal/sqlite') : await import('corridor-sdk/journal/sqlite');
      const journal = new SqliteJournal(':memory:');
      const platform = packages.mock.createMockPlatform({ seed: 1 });
      if ((await new packages.sdk.Corridor({ ...platform.clientOptions(), journal }).payments.recover()).length !== 0) throw new Error('something to recover');
      journal.close();
    }));
  }
  results.push({ build, found });
}

async function own(name, check) {
  try {
    await check();
    return { name };
  } catch (error) {
    return { name, error: String(error) };
  }
}

console.log(`\nRESULTS ${JSON.stringify(results)}`);
