import { faults, settings, type Settings } from './settings.ts';
import type { Tally } from './simulate.ts';

const number = (value: number): string => value.toLocaleString('en');
const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`;

/** What is simulated, in words. */
export function parameters({ creates }: Pick<Settings, 'creates'>, seeds: readonly number[]): string {
  const world = settings({ seed: 1, creates, quotes: 'reusable' });
  return [
    `${number(creates)} creates per run, in virtual time; seeds ${seeds.join(', ')}`,
    `${world.faultRate * 100} % of creating requests go wrong, in ${faults.length} ways: ${faults.join(', ')}`,
    `a late commit comes up to ${seconds(world.lateCommit)} after its connection broke; a slow answer takes up to ${seconds(world.slowAnswer)}, the client waits ${seconds(world.timeout)}`,
    `the list shows a payment up to ${seconds(world.listLag)} late, and ${world.listFaultRate * 100} % of its requests fail`,
    `the platform's clock is ${seconds(Math.abs(world.skew))} ahead for odd seeds and behind for even ones; every ${world.processLife} creates a new process knows nothing of that`,
    `one way through the network takes up to ${seconds(world.latency)}; a create comes every ${seconds(world.gap)} on average; the settle window is ${seconds(world.settleWindow)}`,
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
  const told = typeof text === 'number' ? number(text) : text;
  return width < 0 ? told.padEnd(-width) : told.padStart(width);
}

/** The heading of the table of runs. */
export function heading(): string {
  return columns.map(([title, width]) => cell(title, width)).join('');
}

/** A run, as a row of the table. */
export function row(tally: Tally): string {
  return columns.map(([, width, value]) => cell(value(tally), width)).join('');
}

/** One thing that must hold. */
export interface Verdict {
  readonly holds: boolean;
  readonly what: string;
}

/** What must hold of all runs together. */
export function verdicts(tallies: readonly Tally[]): Verdict[] {
  const sum = (chosen: readonly Tally[], of: (tally: Tally) => number): number => chosen.reduce((total, tally) => total + of(tally), 0);
  const careful = tallies.filter(({ strategy }) => strategy !== 'naive retry');
  const resent = tallies.filter(({ strategy }) => strategy === 'createOnce, resend');
  const naive = tallies.filter(({ strategy }) => strategy === 'naive retry');
  const none = (what: string, of: (tally: Tally) => number): Verdict => ({ holds: sum(careful, of) === 0, what: `createOnce: ${sum(careful, of)} ${what}` });
  const creates = sum(resent, ({ settings: given }) => given.creates);
  const duplicates = sum(naive.filter(({ settings: { quotes } }) => quotes === 'reusable'), (tally) => tally.duplicates);
  const falseFailures = sum(naive.filter(({ settings: { quotes } }) => quotes === 'single-use'), (tally) => tally.falseFailures);
  const unforeseen = careful.flatMap((tally) => tally.unforeseen);
  return [
    none('duplicates', (tally) => tally.duplicates),
    none('payments reported failed that exist', (tally) => tally.falseFailures),
    none('payments reported made that do not exist', (tally) => tally.falseSuccesses),
    none(`of ${number(sum(careful, ({ unknown }) => unknown))} unknown outcomes resolved wrongly by reconcile or recover`, (tally) => tally.wronglyResolved),
    { holds: unforeseen.length === 0, what: `createOnce: ${unforeseen.length} errors that are not foreseen${unforeseen.length === 0 ? '' : `, such as ${unforeseen[0]}`}` },
    { holds: sum(resent, ({ made }) => made) === creates, what: `createOnce with resend after the settle window: ${number(sum(resent, ({ made }) => made))} of ${number(creates)} made` },
    { holds: duplicates > 0, what: `naive retry, to see the test bite: ${number(duplicates)} duplicates on reusable quotes` },
    { holds: falseFailures > 0, what: `naive retry, to see the test bite: ${number(falseFailures)} payments reported failed that exist, on single-use quotes` },
  ];
}
