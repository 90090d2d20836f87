import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromiumPath, inChromium, inProcess, inWorkerd } from './runners.js';
import { networkChecks } from './network.js';
import { serveFixture } from './servers.js';

// node scripts/runtimes.ts [name …]: the suite of the installed package in every runtime, or in those named.
const node = (version, further) => inProcess(`node_modules/node${version}/bin/node`, [], further);
const runtimes = {
  node20: node(20),
  node22: node(22, { sqlite: true, tls: true }),
  node24: node(24, { sqlite: true, tls: true }),
  node26: node(26, { sqlite: true, tls: true }),
  bun: inProcess('node_modules/.bin/bun', []),
  deno: inProcess(
    'node_modules/.bin/deno',
    ['run', '--quiet', '--no-prompt', '--allow-net', '--allow-env', '--allow-read', '--allow-sys'],
    { isChunked: true },
  ),
  workerd: inWorkerd,
  chromium: inChromium,
};
// The runtimes that the recipes of docs/network.md are for, with the parameters before the program.
const program = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
const networks = {
  node22: [program('node22/bin/node'), '--no-warnings'],
  node24: [program('node24/bin/node'), '--no-warnings'],
  node26: [program('node26/bin/node'), '--no-warnings'],
  bun: [program('.bin/bun')],
  deno: [program('.bin/deno'), 'run', '--quiet', '--no-prompt', '--allow-all'],
};
// A page may not name itself.
const namesItself = (name, userAgents) =>
  name === 'chromium' ||
  (userAgents.length > 0 &&
    userAgents.every((agent) => /^corridor-sdk\/\d+\.\d+\.\d+\S* partner\/2\.0$/.test(agent ?? '')));

// The packaged examples run as they are: this one uses the mock.
const exampleProblems = async (name) => {
  const example = program('corridor-sdk/examples/test-with-mock.js');
  return promisify(execFile)(program(`${name}/bin/node`), [example]).then(
    ({ stdout }) => (/pass 2$/m.test(stdout) ? [] : [`${example}: ${stdout}`]),
    ({ message }) => [message],
  );
};

async function run(name) {
  const began = performance.now();
  const surroundings = await serveFixture();
  const problems = [];
  let checks = 0;
  try {
    const { results, printed } = await runtimes[name](surroundings);
    if (name.startsWith('node')) problems.push(...(await exampleProblems(name)));
    if (name in networks) results.push({ build: 'docs/network.md', found: await networkChecks(name, networks[name]) });
    for (const { build, found } of results)
      for (const { name: check, error } of found)
        if (error !== undefined) problems.push(`${check} (${build}): ${error}`);
    checks = results.flatMap(({ found }) => found).length;
    if (checks < 20) problems.push(`only ${checks} checks`);
    for (const secret of surroundings.fixture.secrets)
      if (printed.includes(secret)) problems.push(`what was printed shows ${secret.slice(0, 8)}…`);
    if (!/Corridor/.test(printed)) problems.push(`the client was not printed: ${printed}`);
    if (!namesItself(name, surroundings.userAgents))
      problems.push(`the user agent was ${surroundings.userAgents.join(', ')}`);
  } catch (error) {
    problems.push(error instanceof Error ? error.stack : String(error));
  } finally {
    await surroundings.close();
  }
  const passed = problems.length === 0;
  console.log(
    `${passed ? 'ok    ' : 'FAILED'} ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${name}: ${checks} checks, user agent ${[...new Set(surroundings.userAgents)].join(', ')}`,
  );
  for (const problem of problems) console.log(`       ${problem}`);
  return passed;
}

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in runtimes));
if (unknown.length > 0) {
  console.error(`no such runtime: ${unknown.join(', ')}; there are: ${Object.keys(runtimes).join(', ')}`);
  process.exit(2);
}
let waiting = named.length > 0 ? named : Object.keys(runtimes);
if (waiting.includes('chromium') && chromiumPath() === undefined && process.env['CI'] === undefined) {
  console.log('left out       chromium: it is not on this machine (.ci/with-chromium installs it; in CI this fails)');
  waiting = waiting.filter((name) => name !== 'chromium');
}
const began = performance.now();
const passed = [];
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) passed.push(await run(name));
  }),
);
console.log(
  passed.every(Boolean)
    ? `\nAll ${passed.length} runtimes passed in ${((performance.now() - began) / 1000).toFixed(1)} s.`
    : '\nFailed.',
);
process.exitCode = passed.every(Boolean) ? 0 : 1;
