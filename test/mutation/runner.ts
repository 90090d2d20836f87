import { appendFileSync, readFileSync } from 'node:fs';
import { type RunnerTestCase, type RunnerTestFile, TestRunner, type TestTryOptions } from 'vitest';
import type { Event, Plan } from './run.ts';

// What Stryker's instrumenter reads and writes: which mutant is active, and which a test has reached.
interface Instrumentation {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: {
    readonly static: Record<string, number>;
    readonly perTest: Record<string, Record<string, number>>;
  };
}
const instrumentation = ((globalThis as { __stryker__?: Instrumentation }).__stryker__ ??= {});

const directory = process.env['MUTATION_DIR'] ?? '';
const plan = JSON.parse(readFileSync(`${directory}/plan.json`, 'utf8')) as Plan | null;
const record = (event: Event): void => appendFileSync(`${directory}/events.jsonl`, `${JSON.stringify(event)}\n`);

const killed = new Set<string>();

/**
 * Runs each test once for each mutant that the plan has for it, as repeated attempts in the same worker: nothing is
 * loaded again, and all hooks run. Without a plan, runs each test twice, and records which mutants it reaches. After a
 * mutant was killed, the test has to pass without a mutant; otherwise the worker ends, because its state is damaged.
 */
export default class MutationRunner extends TestRunner {
  readonly #waiting = new Map<string, string[]>();
  #current:
    | { readonly mutant: string | undefined; readonly started: NodeJS.CpuUsage; readonly startedAt: number }
    | undefined;
  #unchecked = true;

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    if (plan === null) record({ type: 'loaded', reached: Object.keys(instrumentation.mutantCoverage?.static ?? {}) });
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    if (test.mode !== 'run' && test.mode !== 'queued') return;
    if (plan === null) test.repeats = 1;
    else {
      const mutants = plan[test.id]?.mutants.filter((mutant) => !killed.has(mutant)) ?? [];
      if (mutants.length === 0) test.mode = 'skip';
      this.#waiting.set(test.id, mutants);
      test.repeats = 2 * mutants.length;
      this.#unchecked = true;
    }
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const mutant = plan === null || this.#unchecked ? undefined : this.#waiting.get(test.id)?.shift();
    if (plan !== null && !this.#unchecked && mutant === undefined) return;
    if (mutant !== undefined) record({ type: 'started', test: test.id, mutant });
    this.#current = { mutant, started: process.cpuUsage(), startedAt: performance.now() };
    instrumentation.activeMutant = mutant;
    instrumentation.currentTestId = plan === null ? test.id : undefined;
    instrumentation.hitCount = 0;
    instrumentation.hitLimit = Math.max(1_000, 100 * (plan?.[test.id]?.hits[mutant ?? ''] ?? 0));
    try {
      await TestRunner.getTestFn(test)();
    } finally {
      instrumentation.activeMutant = undefined;
      instrumentation.currentTestId = undefined;
    }
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options);
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined || test.result === undefined) return;
    const passed = test.result.state !== 'fail';
    const message = passed ? undefined : (test.result.errors?.[0]?.message.slice(0, 200) ?? '');
    test.result.state = 'pass';
    delete test.result.errors;
    if (plan === null) {
      const reached = instrumentation.mutantCoverage?.perTest[test.id] ?? {};
      // Of the processor, so that the load of the machine has little influence; a tenth of the time of a test that waits.
      const waited = (performance.now() - current.startedAt) / 10;
      const milliseconds = Math.max(process.cpuUsage(current.started).user / 1_000, waited);
      record({
        type: 'reached',
        test: test.id,
        name: nameOf(test),
        file: test.file.filepath,
        message,
        milliseconds,
        reached,
      });
    } else if (current.mutant !== undefined) {
      if (message === undefined) return;
      killed.add(current.mutant);
      this.#unchecked = true;
      record({ type: 'killed', test: test.id, mutant: current.mutant, message });
    } else {
      this.#unchecked = false;
      if (message === undefined) return;
      record({ type: 'damaged', test: test.id, message });
      process.kill(process.pid, 'SIGKILL');
    }
  }
}

function nameOf(test: RunnerTestCase): string {
  const names = [test.name];
  for (let { suite } = test; suite !== undefined; suite = suite.suite) names.unshift(suite.name);
  return names.join(' > ');
}
