import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { folders } from './folders.ts';
import { ignored, type IgnoredMutant } from './ignored.ts';

// `npm run mutation [-- FOLDER …]`: mutates the code of folders and counts the mutants that their tests detect. Fails if
// a score is lower than the recorded one; a better one is recorded. To accept a lower score, remove its line of
// scores.json. Mutants of unchanged code are not run again.
const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = `${root}.cache/mutation`;
const scoresFile = `${root}test/mutation/scores.json`;

interface Position {
  readonly line: number;
  readonly column: number;
}

interface Mutant {
  readonly status: string;
  readonly replacement?: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

/** What the tests of a folder detected. */
interface Score {
  readonly detected: number;
  readonly mutants: number;
  readonly percent: number;
}

/** Mutates the files of a folder, and returns the report. */
function mutate(folder: string, tests: readonly string[]): Report {
  const name = folder.replaceAll('/', '-');
  const reportFile = `${cache}/${name}-report.json`;
  const configFile = `${cache}/${name}.config.json`;
  const settings = JSON.parse(readFileSync(`${root}test/mutation/stryker.config.json`, 'utf8')) as object;
  writeFileSync(
    configFile,
    JSON.stringify({
      ...settings,
      mutate: [`${folder}/*.ts`],
      testFiles: tests.map((test) => `${test}/**/*.test.ts`),
      incrementalFile: `${cache}/${name}.json`,
      jsonReporter: { fileName: reportFile },
      tempDirName: `${cache}/sandbox`,
    }),
  );
  const stryker = `${root}test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js`;
  const { status } = spawnSync(process.execPath, [stryker, 'run', configFile], { cwd: root, stdio: 'inherit' });
  if (status !== 0)
    throw new Error(`the mutants of ${folder} could not be run. Fix the tests that fail without mutants`);
  return JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
}

/** Counts the mutants that the tests detected. An ignored mutant counts only if it was detected. */
function count(report: Report): { readonly score: Score; readonly used: ReadonlySet<IgnoredMutant> } {
  let [detected, survived] = [0, 0];
  const used = new Set<IgnoredMutant>();
  for (const [file, { source, mutants }] of Object.entries(report.files)) {
    const lines = source.split('\n');
    for (const { status, replacement, location } of mutants) {
      if (status === 'Killed' || status === 'Timeout') detected += 1;
      if (status !== 'Survived' && status !== 'NoCoverage') continue;
      const original = textAt(lines, location);
      const entry = ignored.find(
        (each) => each.file === file && each.original === original && each.replacement === replacement,
      );
      if (entry === undefined) survived += 1;
      else used.add(entry);
    }
  }
  const mutants = detected + survived;
  // Rounded down, so that a recorded score can be reached again.
  return { score: { detected, mutants, percent: Math.floor((1000 * detected) / Math.max(1, mutants)) / 10 }, used };
}

function textAt(lines: readonly string[], { start, end }: Mutant['location']): string {
  const text = lines.slice(start.line - 1, end.line);
  const last = text.length - 1;
  return text
    .map((line, index) => line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined))
    .join('\n');
}

const selected = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ''));
const isSelected = (folder: string): boolean =>
  selected.length === 0 || selected.some((each) => folder === each || folder.startsWith(`${each}/`));
const running = Object.entries(folders).filter(([folder]) => isSelected(folder));
if (running.length === 0)
  throw new Error(`no such folder: ${selected.join(', ')}. Pass some of ${Object.keys(folders).join(', ')}`);

mkdirSync(cache, { recursive: true });
const failures: string[] = [];
const table: Record<string, Score & { readonly recorded: number | undefined }> = {};
for (const [folder, tests] of running) {
  const { score, used } = count(mutate(folder, tests));
  const scores = JSON.parse(readFileSync(scoresFile, 'utf8')) as Record<string, Score>;
  const recorded = scores[folder]?.percent;
  table[folder] = { ...score, recorded };
  if (recorded !== undefined && score.percent < recorded)
    failures.push(
      `the score of ${folder} fell from ${recorded} % to ${score.percent} %. Test what its new survivors do`,
    );
  else {
    const sorted = Object.entries({ ...scores, [folder]: score }).toSorted(([one], [other]) => (one < other ? -1 : 1));
    writeFileSync(scoresFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
  const isOwn = ({ file }: IgnoredMutant): boolean => file.slice(0, file.lastIndexOf('/')) === folder;
  for (const entry of ignored.filter((each) => isOwn(each) && !used.has(each)))
    failures.push(`ignored.ts: ${entry.file} has no survivor ${entry.original} -> ${entry.replacement}. Remove it`);
}
console.table(table);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
