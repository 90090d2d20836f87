import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { runSuite } from './suite.js';

// For Node, Bun and Deno: the suite with the ES modules and with the CommonJS build. The last line has the results.
const fixture = JSON.parse(process.env['CORRIDOR_FIXTURE']);
const require = createRequire(import.meta.url);
const builds = {
  'ES modules': {
    sdk: await import('corridor-sdk'),
    mock: await import('corridor-sdk/mock'),
    node: await import('corridor-sdk/mock/node'),
  },
  CommonJS: {
    sdk: require('corridor-sdk'),
    mock: require('corridor-sdk/mock'),
    node: require('corridor-sdk/mock/node'),
  },
};

const results = [];
for (const [build, packages] of Object.entries(builds)) {
  const found = await runSuite(packages, fixture);
  console.log(inspect(new packages.sdk.Corridor({ ...fixture.served }), { depth: 10, showHidden: true }));
  found.push(
    await own('the mock serves over HTTP', async () => {
      const served = await packages.node.serveMockPlatform({ seed: 1 });
      const { id } = served.platform.customers.add();
      const customer = await new packages.sdk.Corridor(served.clientOptions()).customers.get(id);
      await served.close();
      if (customer.id !== id) throw new Error('another customer');
    }),
  );
  if (fixture.sqlite) {
    found.push(
      await own('a SQLite file keeps intents', async () => {
        const { SqliteJournal } =
          build === 'CommonJS' ? require('corridor-sdk/journal/sqlite') : await import('corridor-sdk/journal/sqlite');
        const journal = new SqliteJournal(':memory:');
        const platform = packages.mock.createMockPlatform({ seed: 1 });
        const { payments } = new packages.sdk.Corridor({ ...platform.clientOptions(), journal });
        const order = platform.payments.createParams();
        const [first, second] = [await payments.createOnce(order), await payments.createOnce(order)];
        if (!first.created || second.created || first.payment.id !== second.payment.id)
          throw new Error('not created once');
        if ((await payments.reconcilePending()).length !== 0) throw new Error('something to recover');
        journal.close();
      }),
    );
  }
  // The transport is the same in both builds.
  if (fixture.tls && build === 'ES modules') {
    found.push(...(await (await import('./tls.js')).tlsChecks(packages.sdk, fixture.served)));
    found.push(...(await (await import('./proxy.js')).proxyChecks(packages.sdk, fixture.served)));
    found.push(...(await (await import('./dispatchers.js')).dispatcherChecks(packages.sdk, fixture.served)));
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
