import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { folders, withoutMutants } from './folders.ts';
import { ignored, type IgnoredMutant } from './ignored.ts';

// `npm run mutation [-- PATH … [--tests FILE]]`: mutates the code of folders or files and counts the mutants that their
// tests detect. Fails if a score is lower than the recorded one; a better one is recorded. To accept a lower score, remove
// its line of scores.json. With --tests, runs only these tests, on the survivors of the last run, and records nothing.
//
// Stryker's instrumenter compiles all mutants into the code, and runner.ts activates one at a time in a running worker,
// because Stryker's own runner for Vitest loads all modules again for each mutant: the folders would take days.
const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = `${root}.cache/mutation`;
const scoresFile = `${root}test/mutation/scores.json`;

/** A mutant that hangs without an event is killed after this time; before the first event, modules are loaded. */
const [hangAfter, startTimeout] = [25_000, 120_000];

/** Tests that need more milliseconds of the processor run without mutants: they would run hundreds of times. */
const slowest = 400;

/** A mutant survives if this many of the tests that reach it pass, those that differ most first. */
const mostTests = 100;

/** What a kill by another test of the same file weighs, as a fraction of a kill by the test itself. */
const weightOfFile = 0.1;

/** By the id of a test: the mutants to run it with, and how often it reaches each. */
export type Plan = Record<
  string,
  { readonly mutants: readonly string[]; readonly hits: Readonly<Record<string, number>> }
>;

/** What a worker reports. */
export type Event =
  | {
      readonly type: 'reached';
      readonly test: string;
      readonly name: string;
      readonly file: string;
      /** What failed. */
      readonly message: string | undefined;
      readonly milliseconds: number;
      readonly reached: Readonly<Record<string, number>>;
    }
  | { readonly type: 'loaded'; readonly reached: readonly string[] }
  | { readonly type: 'started'; readonly test: string; readonly mutant: string }
  | { readonly type: 'killed'; readonly test: string; readonly mutant: string; readonly message: string }
  | { readonly type: 'damaged'; readonly test: string; readonly message: string };

interface Position {
  readonly line: number;
  readonly column: number;
}

interface Mutant {
  readonly id: string;
  /** The same in the next run, unless the code of the mutant changes. */
  readonly key: string;
  readonly file: string;
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
}

interface TestCase {
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly milliseconds: number;
  readonly hits: Readonly<Record<string, number>>;
}

/** What the tests of a folder detected, and in which commit. */
interface Score {
  readonly detected: number;
  readonly mutants: number;
  readonly percent: number;
  readonly commit: string;
}

/** Writes the code with all its mutants, and returns them. */
async function instrument(path: string, directory: string): Promise<readonly Mutant[]> {
  const { Instrumenter } = await import('@stryker-mutator/instrumenter');
  // It reads no property of its logger but functions.
  const logger = new Proxy({} as never, { get: () => () => false });
  const files = globSync(path.endsWith('.ts') ? `${root}${path}` : `${root}${path}/*.ts`)
    .toSorted()
    .map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }));
  const texts = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  // A string is either text that people read, which no test repeats, or a value of a union, where the compiler refuses "".
  const options = { plugins: null, excludedMutations: ['StringLiteral'], ignorers: [] };
  const result = await new Instrumenter(logger).instrument(files, options);
  writeFileSync(
    `${directory}/sources.json`,
    JSON.stringify(Object.fromEntries(result.files.map(({ name, content }) => [name, content]))),
  );
  const counts = new Map<string, number>();
  return result.mutants
    .filter(({ status }) => status === undefined)
    .map(({ id, fileName, location, replacement }) => {
      const file = fileName.slice(root.length);
      const original = textAt(texts.get(fileName) ?? [], location);
      const text = JSON.stringify([file, original, replacement]);
      counts.set(text, (counts.get(text) ?? 0) + 1);
      // The instrumenter counts lines from 0.
      return { id, key: `${text} ${counts.get(text)}`, file, line: location.start.line + 1, original, replacement };
    });
}

function textAt(
  lines: readonly string[],
  { start, end }: { readonly start: Position; readonly end: Position },
): string {
  const text = lines.slice(start.line, end.line + 1);
  const last = text.length - 1;
  return text
    .map((line, index) => line.slice(index === 0 ? start.column : 0, index === last ? end.column : undefined))
    .join('\n');
}

/** Runs files of tests by a plan until they end, or until no event is recorded for some time. */
async function runTests(directory: string, plan: Plan | null, files: readonly string[]): Promise<readonly Event[]> {
  const events = `${directory}/events.jsonl`;
  writeFileSync(events, '');
  writeFileSync(`${directory}/plan.json`, JSON.stringify(plan));
  const parameters = ['run', '--config', 'test/mutation/vitest.config.ts', ...files];
  const child = spawn(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, ...parameters], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, MUTATION_DIR: directory },
    detached: true, // so that it can be ended with its workers
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let isRunning = true;
  void ended.then(() => (isRunning = false));
  while (isRunning) {
    await Promise.race([ended, sleep(1_000)]);
    const { mtimeMs, size } = statSync(events);
    const limit = plan === null || size === 0 ? startTimeout : hangAfter;
    if (isRunning && child.pid !== undefined && Date.now() - mtimeMs > limit) process.kill(-child.pid, 'SIGKILL');
  }
  return readFileSync(events, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event);
}

/** Runs all tests without mutants. Returns them, and the mutants that loading the modules reaches. */
async function reach(
  directory: string,
  files: readonly string[],
): Promise<{ readonly tests: readonly TestCase[]; readonly loaded: ReadonlySet<string> }> {
  const tests = new Map<string, TestCase>();
  const failed = new Map<string, string>();
  const loaded = new Set<string>();
  for (const event of await runTests(directory, null, files)) {
    if (event.type === 'loaded') for (const mutant of event.reached) loaded.add(mutant);
    if (event.type !== 'reached') continue;
    const { test: id, name, file, milliseconds, reached: hits, message } = event;
    if (message !== undefined) failed.set(id, message);
    tests.set(id, { id, name, file, milliseconds, hits });
  }
  for (const [id, message] of failed) {
    console.log(`does not pass twice, and is left out: ${tests.get(id)?.name ?? id}: ${message}`);
    tests.delete(id);
  }
  const fast = [...tests.values()].filter(({ milliseconds }) => milliseconds < slowest);
  const sorted = fast.toSorted((one, other) => one.milliseconds - other.milliseconds);
  return {
    tests: alternate(
      alternate(sorted, ({ file }) => file),
      ({ hits }) => JSON.stringify(hits),
    ),
    loaded,
  };
}

/** Puts the first of each group first, then the second of each, and so on. */
function alternate<T>(all: readonly T[], groupOf: (each: T) => string): readonly T[] {
  const groups = [...Map.groupBy(all, groupOf).values()];
  const ranks = new Map(groups.flatMap((group) => group.map((each, rank) => [each, rank] as const)));
  return all.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
}

/** By the id of a mutant: the test that killed it. */
type Kills = Map<string, { readonly test: string; readonly message: string }>;

/** Runs pairs of test and mutant, until each mutant is killed or has no pair left. */
async function runPairs(
  directory: string,
  tests: readonly TestCase[],
  pairs: readonly (readonly [TestCase, string])[],
  kills: Kills,
): Promise<void> {
  const names = new Map(tests.map((test) => [test.id, test.name]));
  const done = new Set<string>();
  const damages = new Map<string, number>();
  for (;;) {
    const plan: Record<string, { mutants: string[]; hits: TestCase['hits'] }> = {};
    const files = new Set<string>();
    for (const [test, mutant] of pairs) {
      if (kills.has(mutant) || done.has(`${test.id} ${mutant}`) || (damages.get(test.id) ?? 0) > 1) continue;
      (plan[test.id] ??= { mutants: [], hits: test.hits }).mutants.push(mutant);
      files.add(test.file);
    }
    if (files.size === 0) return;
    const before = done.size;
    let running: { readonly test: string; readonly mutant: string } | undefined;
    const events = await runTests(directory, plan, [...files]);
    for (const event of events) {
      if (event.type === 'started') {
        done.add(`${event.test} ${event.mutant}`);
        running = event;
      } else if (event.type === 'killed') {
        kills.set(event.mutant, { test: names.get(event.test) ?? '', message: event.message });
        running = undefined;
      } else if (event.type === 'damaged' && running?.test !== event.test) {
        damages.set(event.test, (damages.get(event.test) ?? 0) + 1);
      }
    }
    // The last one that started did not end if its worker was ended: the pairs after it are missing.
    const isComplete = pairs.every(
      ([test, mutant]) => kills.has(mutant) || done.has(`${test.id} ${mutant}`) || (damages.get(test.id) ?? 0) > 1,
    );
    if (!isComplete && running !== undefined && events.at(-1)?.type === 'started')
      kills.set(running.mutant, { test: names.get(running.test) ?? '', message: 'does not end' });
    if (done.size === before && events.length === 0) throw new Error('no test ran. Run Vitest to see why');
  }
}

interface Outcome extends Mutant {
  readonly status: 'killed' | 'survived' | 'static';
  readonly test?: string;
  /** The versions of tests that passed with it. */
  readonly tried?: readonly string[];
}

/** Identifies a test, also among those with the same name, and the text of its file. */
function versionOf({ file, id }: TestCase): string {
  return createHash('sha256')
    .update(`${readFileSync(file, 'utf8')} ${id}`)
    .digest('base64')
    .slice(0, 12);
}

/** Returns what became of each mutant of a folder. */
async function mutate(folder: string, testFiles: readonly string[], isPartial: boolean): Promise<readonly Outcome[]> {
  const directory = `${cache}/${folder.replaceAll('/', '-')}`;
  const reportFile = `${directory}/report.json`;
  mkdirSync(directory, { recursive: true });
  const all = await instrument(folder, directory);
  const last = new Map(readReport(reportFile).map((outcome) => [outcome.key, outcome]));
  const { tests, loaded } = await reach(directory, testFiles);
  const mutants = isPartial ? all.filter(({ key }) => last.get(key)?.status === 'survived') : all;
  console.log(`${folder}: ${mutants.length} mutants, ${tests.length} tests`);

  const versions = new Map(tests.map((test) => [test, versionOf(test)]));
  const tried = new Map(mutants.map(({ id, key }) => [id, new Set(last.get(key)?.tried)]));
  const waitingFor = ({ id }: Mutant): readonly TestCase[] =>
    tests.filter((test) => test.hits[id] !== undefined && !tried.get(id)?.has(versions.get(test) ?? ''));
  const kills: Kills = new Map();
  const run = async (testsOf: (mutant: Mutant) => readonly TestCase[]): Promise<void> => {
    const pairs: [TestCase, string][] = [];
    for (const mutant of mutants.filter(({ id }) => !kills.has(id)))
      for (const test of testsOf(mutant)) {
        pairs.push([test, mutant.id]);
        tried.get(mutant.id)?.add(versions.get(test) ?? '');
      }
    await runPairs(directory, tests, pairs, kills);
    console.log(`${folder}: ${kills.size} of ${mutants.length} killed after ${pairs.length} pairs`);
    writeFileSync(reportFile, JSON.stringify(report()));
  };
  const report = (): readonly Outcome[] => {
    const outcomes = mutants.map((mutant): Outcome => {
      const kill = kills.get(mutant.id);
      if (kill !== undefined) return { ...mutant, status: 'killed', test: kill.test };
      const isStatic = loaded.has(mutant.id) && !tests.some(({ hits }) => hits[mutant.id] !== undefined);
      return { ...mutant, status: isStatic ? 'static' : 'survived', tried: [...(tried.get(mutant.id) ?? [])] };
    });
    if (!isPartial) return outcomes;
    return [...last.values()].map((old) => outcomes.find(({ key }) => key === old.key) ?? old);
  };
  // First the test that killed it the last time, then more and more of those that reach it: those that killed mutants of
  // the lines around it first, because one that checks these lines probably checks this one.
  await run(({ key, id }) => {
    const killer = last.get(key)?.test;
    return tests.filter(({ name, hits }) => name === killer && hits[id] !== undefined);
  });
  const fileOf = new Map(tests.map(({ name, file }) => [name, file]));
  for (const count of [3, 6, 12, isPartial ? Number.POSITIVE_INFINITY : mostTests - 21]) {
    const killers = mutants.flatMap((mutant) => {
      const kill = kills.get(mutant.id);
      return kill === undefined ? [] : [{ ...mutant, test: kill.test }];
    });
    await run((mutant) => {
      const nearness = new Map<string, number>();
      for (const { line, test } of killers.filter((killer) => killer.file === mutant.file))
        for (const name of [test, fileOf.get(test) ?? ''])
          nearness.set(name, (nearness.get(name) ?? 0) + 1 / (1 + Math.abs(line - mutant.line)));
      // The other tests of a file are often about the same lines.
      const rank = ({ name, file }: TestCase): number =>
        (nearness.get(name) ?? 0) + weightOfFile * (nearness.get(file) ?? 0);
      return waitingFor(mutant)
        .toSorted((one, other) => rank(other) - rank(one))
        .slice(0, count);
    });
  }
  return report();
}

function readReport(file: string): readonly Outcome[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly Outcome[]) : [];
}

/** Counts the mutants that the tests detected. An ignored mutant counts only if it was detected. */
function count(outcomes: readonly Outcome[]): {
  readonly score: Score;
  readonly survivors: readonly Outcome[];
  readonly used: ReadonlySet<IgnoredMutant>;
} {
  const used = new Set<IgnoredMutant>();
  const survivors = outcomes.filter((outcome) => {
    if (outcome.status !== 'survived') return false;
    const entries = ignored.filter((entry) => isIgnored(outcome, entry));
    for (const entry of entries) used.add(entry);
    return entries.length === 0;
  });
  const detected = outcomes.filter(({ status }) => status === 'killed').length;
  const mutants = detected + survivors.length;
  // Rounded down, so that a recorded score can be reached again.
  const percent = Math.floor((1000 * detected) / Math.max(1, mutants)) / 10;
  const commit = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim();
  return { score: { detected, mutants, percent, commit }, survivors, used };
}

const isIgnored = (mutant: Mutant, entry: IgnoredMutant): boolean =>
  mutant.file === entry.file && mutant.original === entry.original && mutant.replacement === entry.replacement;

const parameters = process.argv.slice(2);
const testsAt = parameters.indexOf('--tests');
const onlyTests = testsAt === -1 ? undefined : parameters.splice(testsAt).slice(1);
const selected = parameters.map((folder) => folder.replace(/\/$/, ''));
const isSelected = (folder: string): boolean =>
  selected.length === 0 || selected.some((each) => folder === each || folder.startsWith(`${each}/`));
const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'));
const running = Object.entries(folders).flatMap(([folder, testFolders]) =>
  [
    ...(isSelected(folder) ? [folder] : []),
    ...selected.filter((each) => folderOf(each) === folder && each.endsWith('.ts')),
  ].map((path) => [path, testFolders] as const),
);
if (running.length === 0)
  throw new Error(`no such path: ${selected.join(', ')}. Pass some of ${Object.keys(folders).join(', ')}, or files`);

const failures: string[] = [];
const table: Record<string, Score & { readonly recorded: number | undefined }> = {};
for (const [path, testFolders] of running) {
  const files = (onlyTests ?? testFolders)
    .flatMap((each) => globSync(each.endsWith('.ts') ? each : `${each}/**/*.test.ts`, { cwd: root }))
    .filter((file) => !withoutMutants.includes(file))
    .map((file) => `${root}${file}`)
    .toSorted();
  const outcomes = await mutate(path, files, onlyTests !== undefined);
  const { score, survivors, used } = count(outcomes);
  for (const { file, line, original, replacement } of survivors)
    console.log(`${file}:${line} survived\n- ${original.replaceAll('\n', '\n- ')}\n+ ${replacement}`);
  const scores = JSON.parse(readFileSync(scoresFile, 'utf8')) as Record<string, Score>;
  table[path] = { ...score, recorded: scores[path]?.percent };
  const byFile = Map.groupBy(outcomes, ({ file }) => file);
  console.log([...byFile].map(([file, each]) => `${file} ${count(each).score.percent} %`).join('\n'));
  if (onlyTests !== undefined) continue;
  // Files of a folder may have a line of their own.
  const own = [...byFile].filter(([file]) => file in scores).map(([file, each]) => [file, count(each).score] as const);
  for (const [name, current] of new Map([...own, [path, score]])) {
    const recorded = scores[name]?.percent;
    if (recorded === undefined || current.percent >= recorded) scores[name] = current;
    else
      failures.push(
        `the score of ${name} fell from ${recorded} % to ${current.percent} %. Test what its new survivors do`,
      );
  }
  const sorted = Object.entries(scores).toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(scoresFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  for (const entry of ignored.filter((each) => byFile.has(each.file) && !used.has(each)))
    failures.push(`ignored.ts: ${entry.file} has no survivor ${entry.original} -> ${entry.replacement}. Remove it`);
}
console.table(table);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
