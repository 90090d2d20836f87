import { setTimeout as delay } from 'node:timers/promises';
import { describeClock } from '../check.js';
import { CommandError, exitCodes } from '../command.js';
import { abortOnSignal } from '../interrupt.js';
import { confirmAll } from '../confirm.js';
import { jsonText, toPrintable } from '../print/text.js';
import { redactingFetch } from '../redact.js';
import { currentShell } from '../shell.js';
import { StatusLine, type Terminal } from '../terminal.js';
import { maxDryLoss, maxPayments } from './payments.js';
import { assertWritable, compareWith, readPlatformFile, updatePlatformFile, writeResults } from './platform-file.js';
import { runProbes } from './probe.js';
import { probes } from './probes/index.js';
import { describePayment, printResults, summaryOf, type ComparedResult } from './report.js';
import { Session, type Writes } from './session.js';

/** What a run does with its results. */
export interface Plan {
  /** What the writes may use; undefined without --allow-writes. */
  readonly writes: Writes | undefined;
  /** The file with the results. */
  readonly path: string;
  readonly isCheck: boolean;
  readonly isConfirmed: boolean;
  readonly asJson: boolean;
}

/** Runs the probes, prints and stores the results, and returns the exit code. Throws `CommandError`. */
export async function verify(plan: Plan, terminal: Terminal): Promise<number> {
  const { writes, path, isCheck, isConfirmed, asJson } = plan;
  const recorded = readPlatformFile(path);
  if (recorded === undefined && isCheck)
    throw new CommandError(`${path} does not exist. Run ${currentShell().corridor('verify')} without --check first`);
  if (!isCheck) await assertWritable(path);
  const { output, notes } = terminal;
  const status = new StatusLine(notes);
  const interrupt = new AbortController();
  const session = new Session({
    writes,
    client: { fetch: redactingFetch(terminal.secrets) },
    signal: interrupt.signal,
    sleep: (milliseconds) => delay(milliseconds, undefined, { signal: interrupt.signal }),
    onPayment: async (payment) => {
      await status.clear();
      await notes.line(`made: ${toPrintable(describePayment(payment))}`);
    },
  });
  // The client rejects a missing or invalid base URL.
  const { host } = new URL(terminal.environment['CORRIDOR_BASE_URL'] ?? '');
  if (writes !== undefined) await confirmWrites(writes, host, isConfirmed, terminal);
  const receivedSignal = abortOnSignal(interrupt);
  try {
    const run = await runProbes(session, probes, (done) => status.show(`${done} of ${probes.length} questions…`));
    await status.clear();
    const results = run.results.map((result) => ({ ...result, comparison: compareWith(recorded, result) }));
    const { problem } = run;
    const clock = describeClock(session.clockOffset);
    const platform = updatePlatformFile(recorded, results);
    const isWritten = !isCheck && problem === undefined;
    if (isWritten) await writeResults(path, `${jsonText(platform, 2)}\n`);
    const changed = results.filter(({ comparison }) => comparison === 'changed');
    const isUnrecorded = results.some(
      ({ verdict, comparison }) => verdict === 'contradicted' && comparison !== 'recorded',
    );
    const isOk = problem === undefined && changed.length === 0 && !isUnrecorded;
    if (asJson) {
      const { payments, requests } = session;
      const listed = results.map(forPrograms);
      await output.line(jsonText({ ok: isOk, host, results: listed, payments, requests, clock, platform }, 2));
    } else {
      const allowed = writes === undefined ? 'reads only' : 'reads and writes';
      await output.line(`${host}, ${allowed}\n${summaryOf(results, session.requests)}`);
      await output.line(isWritten ? `Written: ${path}\n` : '');
      await printResults(output, results, clock);
    }
    if (changed.length > 0)
      await notes.line(
        `Changed since ${path} was written: ${changed.map(({ row, question }) => `${row} (${question})`).join(', ')}`,
      );
    if (problem !== undefined) await notes.line(`The run is incomplete, and ${path} was not written: ${problem}`);
    return isOk ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    await status.clear();
    const signal = receivedSignal();
    if (signal === undefined) throw error;
    await notes.line(`Interrupted; ${path} was not written.`);
    return exitCodes.signal + signal;
  } finally {
    const { payments } = session;
    if (payments.length > 0) await notes.line('\nPayments that this run made:');
    for (const payment of payments) await notes.line(`  ${toPrintable(describePayment(payment))}`);
  }
}

/** Returns a result for programs; `settings` has the measured values that are not the defaults. */
function forPrograms({ measured, isSample: _isSample, isFailure, flags, ...result }: ComparedResult): object {
  const settings = Object.fromEntries(Object.entries(measured).filter(([, value]) => value !== undefined));
  return {
    ...result,
    ...(flags.length > 0 && { needs: flags.map((flag) => `--${flag}`) }),
    ...(isFailure && { failed: true }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** Prints what the writes can cost, and asks for a confirmation. Throws `CommandError` if it is not confirmed. */
async function confirmWrites(writes: Writes, host: string, isConfirmed: boolean, terminal: Terminal): Promise<void> {
  const { notes } = terminal;
  const { payment, quotes } = writes;
  const lines = ['- invalid payments, with a quote and a document that do not exist, until one is accepted'];
  let loss = 'nothing';
  if (payment !== undefined) {
    const count = maxPayments(writes);
    const { amount, currencyCode, documentIds } = payment;
    loss = `${count} times ${amount} ${currencyCode}`;
    lines.push(
      `- up to ${count} payments of ${amount} ${currencyCode}, with ${quotes.join(' and ')} and ${documentIds.join(', ')}`,
    );
  }
  lines.push(`Largest possible loss: ${loss}; up to ${maxDryLoss} more if the platform accepts an invalid payment`);
  for (const line of [`Writes to ${host}:`, ...lines]) await notes.line(toPrintable(line));
  await notes.line();
  if (!isConfirmed) await confirmAll([{ question: `Type ${host} to continue:`, expected: host }], terminal);
}
