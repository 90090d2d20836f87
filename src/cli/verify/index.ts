import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { optionLines, parseArguments, rejectArguments, type Arguments } from '../arguments.js';
import { CommandError, exitCodes, UsageError, type Command } from '../command.js';
import { abortOnSignal } from '../interrupt.js';
import { describeClock } from '../clock-offset.js';
import { jsonText, toPrintable } from '../print/text.js';
import { currentShell } from '../shell.js';
import type { Terminal } from '../terminal.js';
import type { PlatformFile } from './platform-file.js';
import type { ProbeResult } from './probe.js';
import type { ComparedResult } from './report.js';
import type { Session } from './session.js';
import { options, readSettings, type Settings } from './settings.js';

const defaultFile = 'corridor.platform.json';

/** `corridor verify` */
export const command: Command = {
  options,
  help: () => `Usage: corridor verify [options]

Tests the assumptions of docs/assumptions.md on your platform. It only reads, unless you pass --allow-writes. For each
assumption it prints whether it is confirmed, contradicted or not testable, with request ids as evidence. It writes the
settings that match the platform to ${defaultFile}, for the client (dialect) and the mock (dialect and behavior).

  corridor verify
  corridor verify --check --probe-auth
  corridor verify --allow-writes sandbox.example --payment @payment.json --quote quo_1,quo_2 --document doc_1

${optionLines(options)}

Writes use only these quotes and documents. Before the first request, the command prints the largest possible loss; at the
end, and when it is interrupted, it lists each record that it made. With --check, what an earlier run tested and this one
does not is no change. The exit code is 0 if every result is confirmed, not testable or as in the file, otherwise 1.
`,
  async run(argv, terminal) {
    const args = parseArguments(argv, options);
    rejectArguments(args.positionals);
    const { CORRIDOR_BASE_URL: baseUrl } = terminal.environment;
    const settings = readSettings(args, baseUrl);
    const path = args.value('out') ?? defaultFile;
    if (resolve(args.value('report') ?? '') === resolve(path))
      throw new UsageError('--report must not be the file of the results; nothing was sent');
    const [{ Session: VerifySession }, { redactingFetch }, { assertWritable, readPlatformFile }, { describeRecord }] =
      await Promise.all([
        import('./session.js'),
        import('../redact.js'),
        import('./platform-file.js'),
        import('./report.js'),
      ]);
    const recorded = await readPlatformFile(path);
    if (recorded === undefined && args.has('check'))
      throw new CommandError(`${path} does not exist. Run ${currentShell().corridor('verify')} without --check first`);
    for (const file of [args.has('check') ? undefined : path, args.value('report')])
      if (file !== undefined) await assertWritable(file);
    const interrupt = new AbortController();
    const session = new VerifySession({
      settings,
      client: { fetch: redactingFetch(terminal.secrets) },
      signal: interrupt.signal,
      sleep: (milliseconds) => delay(milliseconds, undefined, { signal: interrupt.signal }),
      onRecord: (record) => terminal.notes.line(`made: ${toPrintable(describeRecord(record))}`),
    });
    if (settings.writes !== undefined) {
      const { confirmWrites } = await import('./confirm-writes.js');
      await confirmWrites(settings.writes, args.value('allow-writes') ?? '', args.has('yes'), terminal.notes);
    }
    const receivedSignal = abortOnSignal(interrupt);
    try {
      return await verify(session, { args, path, recorded, host: new URL(baseUrl ?? '').host }, terminal);
    } catch (error) {
      const signal = receivedSignal();
      if (signal === undefined) throw error;
      await terminal.notes.line(`Interrupted; ${path} was not written.`);
      return exitCodes.signal + signal;
    } finally {
      const { records } = session;
      if (records.length > 0) await terminal.notes.line('\nRecords that this run made:');
      for (const record of records) await terminal.notes.line(`  ${toPrintable(describeRecord(record))}`);
    }
  },
};

interface Verification {
  readonly args: Arguments<typeof options>;
  readonly path: string;
  readonly recorded: PlatformFile | undefined;
  readonly host: string;
}

async function verify(
  session: Session,
  { args, path, recorded, host }: Verification,
  terminal: Terminal,
): Promise<number> {
  const [{ runProbes }, { probes }, files, report] = await Promise.all([
    import('./run.js'),
    import('./probes/index.js'),
    import('./platform-file.js'),
    import('./report.js'),
  ]);
  const asJson = args.has('json');
  const { output, notes } = terminal;
  const compare = (result: ProbeResult): ComparedResult => ({
    ...result,
    comparison: files.compareWith(recorded, result),
  });
  if (!asJson) await output.line(`${host}, ${describeSettings(session.settings)}\n`);
  const run = await runProbes(session, probes, async (result) => {
    if (!asJson) await report.printResult(output, compare(result));
  });
  const results = run.results.map(compare);
  const clock = describeClock(session.clockOffset);
  const summary = report.summaryOf(results, session.requests);
  const platform = files.updatePlatformFile(recorded, results);
  const isWritten = !args.has('check') && run.problem === undefined;
  if (isWritten) await files.writeAtomically(path, `${jsonText(platform, 2)}\n`);
  const reportPath = args.value('report');
  if (reportPath !== undefined)
    await files.writeAtomically(reportPath, report.markdownOf(host, results, session.records, clock, summary));
  const changed = results.filter(({ comparison }) => comparison === 'changed');
  const isOk = run.problem === undefined && changed.length === 0 && !results.some(isUnrecorded);
  if (asJson) {
    const { requests, records } = session;
    await output.line(
      jsonText({ ok: isOk, host, results: results.map(forPrograms), records, requests, clock, platform }, 2),
    );
  } else {
    await report.printClock(output, clock);
    await output.line(`\n${summary}${isWritten ? `\nWritten: ${path}` : ''}`);
  }
  if (changed.length > 0)
    await notes.line(
      `Changed since ${path} was written: ${changed.map(({ row, question }) => `${row} (${question})`).join(', ')}`,
    );
  if (run.problem !== undefined) await notes.line(`The run is incomplete, and ${path} was not written: ${run.problem}`);
  return isOk ? exitCodes.done : exitCodes.failed;
}

const isUnrecorded = ({ verdict, comparison }: ComparedResult): boolean =>
  verdict === 'contradicted' && comparison !== 'recorded';

function forPrograms({ settings: _settings, isSample: _isSample, ...result }: ComparedResult): object {
  return result;
}

function describeSettings({ permissions }: Settings): string {
  const probes = [...permissions]
    .filter((permission) => permission !== 'writes')
    .map((permission) => `, ${permission}`);
  return `${permissions.has('writes') ? 'reads and writes' : 'reads only'}${probes.join('')}`;
}
