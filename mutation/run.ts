import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// `npm run mutation [group …]`: changes the mock's logic in every small way and sees whether its tests notice. What was tried before and
// has not changed is not tried again. A group is some sources with the tests that are about them; the others would only take time.
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${root}.cache/mutation`;

interface Group {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

const groups: Readonly<Record<string, Group>> = {
  faults: { sources: ['fault', 'faults', 'fault-effects', 'spoiled-answer'], tests: ['faults', 'faults-hostile', 'fault-limits', 'faults-carriers'] },
  plans: { sources: ['agenda', 'settle'], tests: ['plans', 'faults', 'faults-hostile'] },
  credentials: { sources: ['credentials'], tests: ['credentials', 'requests'] },
  state: { sources: ['state', 'snapshot', 'collection', 'clock'], tests: ['platform', 'snapshots', 'plans', 'faults', 'lists', 'switches', 'builders', 'credentials'] },
  handle: { sources: ['handle', 'reply', 'router', 'request-check', 'rate-limit'], tests: ['requests', 'credentials', 'payments', 'switches', 'faults', 'faults-hostile', 'documents'] },
  answers: { sources: ['answers/*', 'paging'], tests: ['payments', 'lists', 'customers', 'documents', 'screening', 'switches', 'platform'] },
};

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

/** Mutants that the tests noticed, and all that they could have. */
function counted(report: Report): { readonly noticed: number; readonly all: number } {
  const statuses = Object.values(report.files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const noticed = statuses.filter((status) => status === 'Killed' || status === 'Timeout').length;
  return { noticed, all: noticed + statuses.filter((status) => status === 'Survived' || status === 'NoCoverage').length };
}

mkdirSync(cache, { recursive: true });
const chosen = process.argv.slice(2);
const rows: Record<string, { noticed: number; all: number; score: string }> = {};
for (const [name, { sources, tests }] of Object.entries(groups)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const settings = JSON.parse(readFileSync(`${root}mutation/stryker.config.json`, 'utf8')) as object;
  const reportFile = `${cache}/${name}-report.json`;
  const configFile = `${cache}/${name}.config.json`;
  writeFileSync(configFile, JSON.stringify({
    ...settings, mutate: sources.map((source) => `src/mock/${source}.ts`), testFiles: tests.map((test) => `test/mock/${test}.test.ts`),
    incrementalFile: `${cache}/${name}.json`, jsonReporter: { fileName: reportFile }, tempDirName: `${cache}/sandbox`,
  }));
  const { status } = spawnSync(process.execPath, [`${root}mutation/node_modules/@stryker-mutator/core/bin/stryker.js`, 'run', configFile], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  const { noticed, all } = counted(JSON.parse(readFileSync(reportFile, 'utf8')) as Report);
  rows[name] = { noticed, all, score: `${((100 * noticed) / all).toFixed(1)} %` };
}
console.table(rows);
