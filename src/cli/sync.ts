import type { MirrorChange, SyncReport } from '../index.js';
import { integerOption, optionLines } from './arguments.js';
import { exitCodes, type Command, type Arguments } from './command.js';
import { interruptible } from './interrupt.js';
import { mirrorOptions, selectMirror, type OpenMirror } from './open-mirror.js';
import { Outage, timeoutOption } from './outage.js';
import { Progress } from './print/progress.js';
import { formatTable } from './print/table.js';
import { jsonText, toPrintable } from './print/text.js';
import { createClient } from './create-client.js';
import { settingsOptions } from './settings-source.js';
import type { Output, Terminal } from './terminal.js';

const options = {
  ...mirrorOptions,
  once: { about: 'fills or catches up, and ends' },
  full: { about: 'reads everything now' },
  'dry-run': { about: 'writes nothing, prints what differs, and ends' },
  status: { about: 'prints how fresh the copy is and what could not be read, and ends; sends nothing' },
  sensitive: { about: 'stores personal and account data, too' },
  concurrency: { value: '<n>', about: 'the number of concurrent requests for payments, 4 by default' },
  json: { about: 'prints JSON' },
  ...timeoutOption,
  ...settingsOptions,
} as const;

/** `corridor sync` */
export const command: Command<typeof options> = {
  options,
  help: () => `Usage: corridor sync (--sqlite <file> | --postgres <url>) [options]

  corridor sync --sqlite corridor.sqlite                        fills, then follows, and prints a line per change
  corridor sync --sqlite corridor.sqlite --once
  corridor sync --sqlite corridor.sqlite --full --dry-run       exits with ${exitCodes.failed} if the copy differs
  corridor sync --sqlite corridor.sqlite --status               exits with ${exitCodes.failed} if a part is behind or has a problem
  corridor sync --postgres postgresql://ops@db.example/shop

${optionLines(options)}

The tables are corridor_payments, corridor_customers, corridor_beneficiaries and corridor_changes. Without --sensitive,
company names, addresses, accounts and receipts are not stored. Several processes can use one copy.

PostgreSQL needs the package pg in this project. Other users of this machine can see command lines: leave the password
out of the URL and set PGPASSWORD, or set DATABASE_URL.
`,
  async run(args, terminal) {
    const open = selectMirror(args, args.has('sensitive'), terminal);
    if (args.has('status')) return printStatus(await open(), args, terminal.output);
    const concurrency = integerOption('concurrency', args.value('concurrency') ?? '4', 1, 100);
    const dryRun = args.has('dry-run');
    const once = args.has('once') || dryRun;
    const progress = new Progress(terminal.notes, 0);
    const outage = new Outage(terminal.notes, () => progress.clear());
    const timeout = outage.timeout(args);
    const corridor = await createClient('sync', terminal.secrets, { hooks: outage.hooks });
    const { name, mirror, close } = await open();
    const printing = new AbortController();
    const run = async (interrupt: AbortController): Promise<number> => {
      const fill = Promise.withResolvers<void>();
      const { filled: wasFilled, lastPosition } = await mirror.status();
      if (wasFilled) fill.resolve();
      printing.signal.addEventListener('abort', () => fill.resolve());
      // Prints what has changed since, without the records of the first fill.
      const print = async (): Promise<void> => {
        await fill.promise;
        const after = wasFilled ? lastPosition : (await mirror.state())?.state.filledSequence;
        await printChanges(mirror.changes({ after, signal: printing.signal }), args, terminal.output, progress);
      };
      const printed = once ? Promise.resolve() : print();
      printed.catch(() => interrupt.abort());
      const report = await corridor.sync(mirror, {
        once,
        full: args.has('full'),
        dryRun,
        concurrency,
        signal: interrupt.signal,
        onProgress: ({ filled, read }) => {
          if (filled) fill.resolve();
          if (!filled || once) void progress.show(read.payment + read.customer + read.beneficiary, 0);
        },
      });
      await progress.clear();
      printing.abort();
      await printed;
      if (once) await printReport(name, report, args, terminal);
      const isComplete = report.problems.length === 0 && !(dryRun && report.differences.length > 0);
      return isComplete || !once ? exitCodes.done : exitCodes.failed;
    };
    try {
      const onInterrupt = async (code: number): Promise<number> => {
        await progress.clear();
        await terminal.notes.line('Interrupted. Run the command again to continue.');
        return code;
      };
      return await interruptible(run, onInterrupt, timeout);
    } finally {
      printing.abort();
      await progress.clear();
      await close();
    }
  },
};

async function printChanges(
  changes: AsyncIterable<MirrorChange>,
  args: Arguments<typeof options>,
  output: Output,
  progress: Progress,
): Promise<void> {
  for await (const change of changes) {
    await progress.clear();
    const { sequence, position, record, id, previousStatus, status, fields, observedAt, updatedAt } = change;
    const effect =
      previousStatus === null
        ? `new, ${status}`
        : previousStatus === status
          ? status
          : `${previousStatus} -> ${status}`;
    const text = `${record} ${id}: ${effect}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}`;
    // Without the record, which can have personal data.
    const json = { sequence, position, record, id, previousStatus, status, fields, observedAt, updatedAt };
    await output.line(args.has('json') ? jsonText(json) : toPrintable(text));
  }
}

async function printReport(
  name: string,
  report: SyncReport,
  args: Arguments<typeof options>,
  { output, notes }: Terminal,
): Promise<void> {
  const { read, changes, differences, problems } = report;
  if (args.has('json')) return output.line(jsonText(report));
  for (const { part, slice, message } of problems)
    await notes.line(toPrintable(`${name}: ${part}${slice === null ? '' : ` ${slice}`} could not be read: ${message}`));
  if (args.has('dry-run')) {
    const rows = differences.map(({ record, id, fields }) => ({ record, id, fields: fields.join(', ') || 'new' }));
    if (rows.length > 0)
      for (const line of formatTable(rows, ['record', 'id', 'fields'], output)) await output.line(line);
    return notes.line(`${name}: ${rows.length} ${rows.length === 1 ? 'record differs' : 'records differ'}`);
  }
  await output.line(
    `${name} is ${problems.length === 0 ? 'up to date' : 'not complete'}; rows read: payments ${read.payment}, ` +
      `customers ${read.customer}, beneficiaries ${read.beneficiary}; changes: ${changes}`,
  );
}

async function printStatus(
  { name, mirror, close }: OpenMirror,
  args: Arguments<typeof options>,
  output: Output,
): Promise<number> {
  const status = await mirror.status().finally(close);
  const { filled, problems, lastSequence, missing, heldBack, unstored } = status;
  const parts = (['open', 'recent', 'older', 'customers', 'beneficiaries'] as const).map((part) => ({
    part,
    asOf: status[part].asOf ?? 'not read yet',
    behind: status[part].behind ? 'behind' : '',
  }));
  if (args.has('json')) await output.line(jsonText(status));
  else {
    const tables = [formatTable(parts, ['part', 'asOf', 'behind'], output)];
    const columns = ['part', 'slice', 'since', 'attempts', 'retryAt', 'message'];
    if (problems.length > 0) tables.push(formatTable(problems, columns, output));
    for (const line of tables.flat()) await output.line(line);
    await output.line(
      `${name} is ${filled ? 'filled' : 'not filled yet'}; changes: ${lastSequence}, missing: ${missing}, ` +
        `held back: ${heldBack.length}, not stored: ${unstored.length}`,
    );
  }
  return problems.length === 0 && parts.every(({ behind }) => behind === '') ? exitCodes.done : exitCodes.failed;
}
