import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { redactingFetch } from '../create-client.js';
import { CommandError, exitCodes, type Arguments, type Options } from '../command.js';
import { askAll, confirmAll } from '../confirm.js';
import { replaceFile, unwritable } from '../files.js';
import { interruptible } from '../interrupt.js';
import { alignColumns, jsonText, maxTextWidth, pad, toPrintable, wrap, wrapHelp } from '../print/text.js';
import { readVariable } from '../settings-source.js';
import { currentShell } from '../shell.js';
import { StatusLine, type Output, type Terminal } from '../terminal.js';
import { compareWith, readPlatformFile, updatePlatformFile, type Comparison } from './platform-file.js';
import { runProbes, type ProbeResult } from './probe.js';
import { probes } from './probes/index.js';
import { maxDryLoss, maxPayments } from './probes/payments.js';
import { optionsOf, Session, type MadePayment, type Writes } from './session.js';

/**
 * Runs the probes, prints the results, and stores them in the file at `path`. Returns the exit code. `writes` is what
 * the run may use; undefined without --allow-writes. Throws `CommandError`.
 */
export async function verify(
  args: Arguments<Options>,
  path: string,
  writes: Writes | undefined,
  terminal: Terminal,
): Promise<number> {
  const isCheck = args.has('check');
  const recorded = readPlatformFile(path);
  if (recorded === undefined && isCheck)
    throw new CommandError(`${path} does not exist. Run ${currentShell().corridor('verify')} without --check first`);
  const assertWritten = (written: Promise<void>, note = ''): Promise<void> =>
    written.catch((error: unknown) => Promise.reject(unwritable(path, error, `${note}Pass another file`)));
  // Before a run uses up quotes.
  if (!isCheck) await assertWritten(access(dirname(path), constants.W_OK), 'Nothing was sent. ');
  const { output, notes } = terminal;
  const status = new StatusLine(notes);
  // The client rejects a missing or invalid base URL.
  const { host } = new URL(readVariable(terminal.environment, 'CORRIDOR_BASE_URL'));
  if (writes !== undefined) await confirmWrites(writes, host, args.has('yes'), terminal);
  const run = async ({ signal }: AbortController): Promise<number> => {
    const session = new Session({
      writes,
      client: { fetch: redactingFetch(terminal.secrets) },
      signal,
      sleep: (milliseconds) => delay(milliseconds, undefined, { signal }),
      onPayment: async (payment) => {
        await status.clear();
        await notes.line(`made: ${describePayment(payment)}`);
      },
    });
    const { payments } = session;
    try {
      const onProgress = (done: number): Promise<void> => status.show(`${done} of ${probes.length} steps…`);
      const { results: found, problem } = await runProbes(session, probes, onProgress);
      await status.clear();
      const results = found.map((result): ComparedResult => {
        const [row = '', question = ''] = result.key.split(': ');
        return { ...result, row, question, comparison: compareWith(recorded, result) };
      });
      const platform = updatePlatformFile(recorded, results);
      const isWritten = !isCheck && problem === undefined;
      if (isWritten) await assertWritten(replaceFile(path, `${jsonText(platform, 2)}\n`, 0o644));
      const changed = results.filter(({ comparison }) => comparison === 'changed');
      const isKnown = results.every(
        ({ verdict, comparison }) => verdict !== 'contradicted' || comparison === 'recorded',
      );
      const isOk = problem === undefined && changed.length === 0 && isKnown;
      const { requests } = session;
      if (args.has('json')) {
        await output.line(
          jsonText({ ok: isOk, host, results: results.map(forPrograms), payments, requests, platform }, 2),
        );
      } else {
        const allowed = writes === undefined ? 'reads only' : 'reads and writes';
        await output.line(`${host}, ${allowed}\n${summaryOf(results, requests)}`);
        await output.line(isWritten ? `Written: ${path}\n` : '');
        await printResults(output, results);
      }
      if (changed.length > 0)
        await notes.line(
          `Changed since ${path} was written: ${changed.map(({ row, question }) => `${row} (${question})`).join(', ')}`,
        );
      if (problem !== undefined)
        await notes.line(toPrintable(`The run is incomplete, and ${path} was not written: ${problem}`));
      return isOk ? exitCodes.done : exitCodes.failed;
    } finally {
      await status.clear();
      if (payments.length > 0) await notes.line('\nPayments that this run made:');
      for (const payment of payments) await notes.line(`  ${describePayment(payment)}`);
    }
  };
  return interruptible(run, async (code) => {
    await notes.line(`Interrupted; ${path} was not written.`);
    return code;
  });
}

/** Returns a result for programs; `settings` has the measured values, without those that are the defaults. */
function forPrograms(result: ComparedResult): object {
  const { row, question, verdict, evidence, meaning, comparison, measured: settings, isFailure } = result;
  return { row, question, verdict, evidence, meaning, comparison, settings, ...(isFailure && { failed: true }) };
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
      `- up to ${count} payments of ${amount} ${currencyCode}, ` +
        `with ${quotes.join(' and ')} and ${documentIds.join(', ')}`,
    );
  }
  lines.push(`Largest possible loss: ${loss}; up to ${maxDryLoss} more if the platform accepts an invalid payment`);
  for (const line of [`Writes to ${host}:`, ...lines]) await notes.line(toPrintable(line));
  await notes.line();
  if (!isConfirmed)
    await askAll(terminal, (ask) => confirmAll([{ question: `Type ${host} to continue:`, expected: host }], ask));
}

/** A result, and how it compares with the file. */
interface ComparedResult extends ProbeResult {
  readonly row: string;
  readonly question: string;
  readonly comparison: Comparison;
}

const labelWidth = 12;
const rowWidth = 4;
const indent = ' '.repeat(labelWidth + rowWidth + 4);

/** Prints the results: contradictions, failures, then what is confirmed; and the options that would test more. */
async function printResults(output: Output, results: readonly ComparedResult[]): Promise<void> {
  const isUntested = ({ verdict, isFailure }: ComparedResult): boolean => verdict === 'not seen' && !isFailure;
  const shown = results.filter((result) => !isUntested(result));
  const sections = [
    ['contradicted', 'CONTRADICTED', 'red'],
    ['not seen', 'failed', 'yellow'],
    ['confirmed', 'confirmed', 'green'],
  ] as const;
  for (const [section, label, color] of sections)
    for (const { row, question, evidence, meaning, verdict, comparison } of shown) {
      if (verdict !== section) continue;
      const isRecorded = comparison === 'recorded' && verdict === 'contradicted';
      const suffix = comparison === 'changed' ? ' (changed)' : isRecorded ? ' (as recorded)' : '';
      const texts = [`${question}${suffix}`, evidence];
      await printEntry(output, output.style(color, pad(label, labelWidth)), row, texts, meaning);
    }
  await printUntested(output, results.filter(isUntested));
}

/** Prints one line for each option that would test more, and one for what no option tests. */
async function printUntested(output: Output, results: readonly ComparedResult[]): Promise<void> {
  const ways = [...Object.entries(optionsOf), [undefined, 'no option; --json says why'] as const];
  const lines = ways.flatMap(([need, way]): (readonly [string, string])[] => {
    const found = results.filter(({ needs }) => needs === need);
    const rows = new Set(found.map(({ row }) => row));
    const count = `${found.length} question${found.length === 1 ? '' : 's'}`;
    return found.length === 0 ? [] : [[way, `${count}: ${[...rows].join(', ')}`]];
  });
  if (lines.length === 0) return;
  const text = wrapHelp(alignColumns(lines), Math.min(output.width, maxTextWidth));
  await output.line(`\nNot tested, by the option that would test it:\n\n${text}`);
}

async function printEntry(
  output: Output,
  label: string,
  row: string,
  texts: readonly string[],
  advice: string | null,
): Promise<void> {
  const width = Math.max(30, Math.min(output.width, maxTextWidth) - indent.length);
  const [first = '', ...rest] = texts.flatMap((text) => wrap(toPrintable(text), width));
  await output.line(`${label}  ${pad(row, rowWidth)}  ${first}`);
  for (const line of rest) await output.line(indent + line);
  if (advice === null) return;
  for (const [index, line] of wrap(toPrintable(advice), width - 3).entries())
    await output.line(`${indent}${index === 0 ? `${output.style('cyan', '->')} ` : '   '}${line}`);
}

/** Counts the verdicts. */
function summaryOf(results: readonly ComparedResult[], requests: number): string {
  const count = (verdict: ProbeResult['verdict']): number =>
    results.filter((result) => result.verdict === verdict).length;
  const recorded = results.filter(({ verdict, comparison }) => verdict === 'contradicted' && comparison === 'recorded');
  const contradicted = `${count('contradicted')} contradicted${recorded.length > 0 ? ` (${recorded.length} as recorded)` : ''}`;
  return `${count('confirmed')} confirmed, ${contradicted}, ${count('not seen')} not tested; ${requests} requests.`;
}

/** Describes a payment that the run made. */
const describePayment = ({ id, note }: MadePayment): string => toPrintable(`payment ${id ?? '(id unknown)'}: ${note}`);
