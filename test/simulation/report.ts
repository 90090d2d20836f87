import { faults, settings, type Settings } from './settings.ts';
import type { Tally } from './simulate.ts';

const number = (value: number): string => value.toLocaleString('en');
const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`;

/** Describes the parameters of the simulation. */
export function parameters({ creates }: Pick<Settings, 'creates'>, seeds: readonly number[]): string {
  const configuration = settings({ seed: 1, creates, quotes: 'reusable' });
  return [
    `${number(creates)} creates per run, in virtual time; seeds ${seeds.join(', ')}`,
    `${configuration.faultRate * 100} % of creating requests go wrong, in ${faults.length} ways: ${faults.join(', ')}`,
    `a late commit comes up to ${seconds(configuration.lateCommit)} after its connection broke; a slow response takes up to ${seconds(configuration.slowResponse)}, the client waits ${seconds(configuration.timeout)}`,
    `the list shows a payment up to ${seconds(configuration.listLag)} late, and ${configuration.listFaultRate * 100} % of its requests fail`,
    `the platform's clock is ${seconds(Math.abs(configuration.skew))} ahead for odd seeds and behind for even ones; every ${configuration.processLife} creates a new process knows nothing of that`,
    `one way through the network takes up to ${seconds(configuration.latency)}; a create comes every ${seconds(configuration.gap)} on average; the consistency window is ${seconds(configuration.consistencyWindow)}`,
  ].join('\n');
}

type Column = readonly [title: string, width: number, value: (tally: Tally) => string | number];

const columns: readonly Column[] = [
  ['quotes', -11, ({ settings: { quotes } }) => quotes],
  ['strategy', -19, ({ strategy }) => strategy],
  ['seed', 5, ({ settings: { seed } }) => seed],
  ['made', 8, ({ made }) => made],
  ['recovered', 10, ({ recovered }) => recovered],
  ['failed', 7, ({ failed }) => failed],
  ['unknown', 8, ({ unknown }) => unknown],
  ['duplicates', 11, ({ duplicates }) => duplicates],
  ['wrong "failed"', 15, ({ falseFailures }) => falseFailures],
  ['wrong "made"', 13, ({ falseSuccesses }) => falseSuccesses],
  ['wrong reconcile', 16, ({ wronglyResolved }) => wronglyResolved],
  ['requests/create', 16, ({ posts, lists, settings: { creates } }) => ((posts + lists) / creates).toFixed(2)],
];

function cell(text: string | number, width: number): string {
  const value = typeof text === 'number' ? number(text) : text;
  return width < 0 ? value.padEnd(-width) : value.padStart(width);
}

/** Returns the heading of the table of runs. */
export function heading(): string {
  return columns.map(([title, width]) => cell(title, width)).join('');
}

/** Returns a run as a row of the table. */
export function row(tally: Tally): string {
  return columns.map(([, width, value]) => cell(value(tally), width)).join('');
}

/** The result of one check. */
export interface Verdict {
  readonly holds: boolean;
  readonly what: string;
}

/** Checks all runs together. */
export function verdicts(tallies: readonly Tally[]): Verdict[] {
  const sum = (chosen: readonly Tally[], of: (tally: Tally) => number): number =>
    chosen.reduce((total, tally) => total + of(tally), 0);
  const careful = tallies.filter(({ strategy }) => strategy !== 'naive retry');
  const resent = tallies.filter(({ strategy }) => strategy === 'createOnce, resend');
  const naive = tallies.filter(({ strategy }) => strategy === 'naive retry');
  const none = (what: string, of: (tally: Tally) => number): Verdict => ({
    holds: sum(careful, of) === 0,
    what: `createOnce: ${sum(careful, of)} ${what}`,
  });
  const creates = sum(resent, ({ settings }) => settings.creates);
  const duplicates = sum(
    naive.filter(({ settings: { quotes } }) => quotes === 'reusable'),
    (tally) => tally.duplicates,
  );
  const falseFailures = sum(
    naive.filter(({ settings: { quotes } }) => quotes === 'single-use'),
    (tally) => tally.falseFailures,
  );
  const unexpected = careful.flatMap((tally) => tally.unexpected);
  return [
    none('duplicates', (tally) => tally.duplicates),
    none('payments reported failed that exist', (tally) => tally.falseFailures),
    none('payments reported made that do not exist', (tally) => tally.falseSuccesses),
    none(
      `of ${number(sum(careful, ({ unknown }) => unknown))} unknown outcomes resolved wrongly by reconcile or reconcilePending`,
      (tally) => tally.wronglyResolved,
    ),
    {
      holds: unexpected.length === 0,
      what: `createOnce: ${unexpected.length} unexpected errors${unexpected.length === 0 ? '' : `, such as ${unexpected[0]}`}`,
    },
    {
      holds: sum(resent, ({ made }) => made) === creates,
      what: `createOnce with resend after the consistency window: ${number(sum(resent, ({ made }) => made))} of ${number(creates)} created`,
    },
    {
      holds: duplicates > 0,
      what: `naive retry, to verify the checks: ${number(duplicates)} duplicates on reusable quotes`,
    },
    {
      holds: falseFailures > 0,
      what: `naive retry, to verify the checks: ${number(falseFailures)} payments reported failed that exist, on single-use quotes`,
    },
  ];
}
