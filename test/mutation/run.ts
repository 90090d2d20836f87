import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { groups } from './groups.ts';

// `npm run mutation [group …]`: mutates the mock's logic and counts the mutants that its tests detect. Mutants of
// unchanged code are not run again.
const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = `${root}.cache/mutation`;

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

/** Counts the mutants that the tests detected, and all that they could detect. */
function count(report: Report): { readonly detected: number; readonly all: number } {
  const statuses = Object.values(report.files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const detected = statuses.filter((status) => status === 'Killed' || status === 'Timeout').length;
  return {
    detected,
    all: detected + statuses.filter((status) => status === 'Survived' || status === 'NoCoverage').length,
  };
}

mkdirSync(cache, { recursive: true });
const selected = process.argv.slice(2);
const rows: Record<string, { detected: number; all: number; score: string }> = {};
for (const [name, { sources, tests }] of Object.entries(groups)) {
  if (selected.length > 0 && !selected.includes(name)) continue;
  const settings = JSON.parse(readFileSync(`${root}test/mutation/stryker.config.json`, 'utf8')) as object;
  const reportFile = `${cache}/${name}-report.json`;
  const configFile = `${cache}/${name}.config.json`;
  writeFileSync(
    configFile,
    JSON.stringify({
      ...settings,
      mutate: sources,
      testFiles: tests,
      incrementalFile: `${cache}/${name}.json`,
      jsonReporter: { fileName: reportFile },
      tempDirName: `${cache}/sandbox`,
    }),
  );
  const { status } = spawnSync(
    process.execPath,
    [`${root}test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js`, 'run', configFile],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exit(1);
  const { detected, all } = count(JSON.parse(readFileSync(reportFile, 'utf8')) as Report);
  rows[name] = { detected, all, score: `${((100 * detected) / all).toFixed(1)} %` };
}
console.table(rows);
