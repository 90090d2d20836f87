import type { CheckResult } from '../print/status.js';
import type { Output } from '../terminal.js';
import { padOrTruncate, toPrintable, widthOf } from '../print/text.js';
import type { Comparison } from './platform-file.js';
import type { ProbeResult, Verdict } from './probe.js';
import type { MadeRecord } from './session.js';

/** A result, and how it compares with the file. */
export interface ComparedResult extends ProbeResult {
  readonly comparison: Comparison;
}

const labels: Readonly<Record<Verdict, readonly [label: string, color: 'green' | 'red' | 'dim']>> = {
  confirmed: ['confirmed', 'green'],
  contradicted: ['CONTRADICTED', 'red'],
  'not testable': ['not testable', 'dim'],
};

const labelWidth = 12;
const rowWidth = 4;
const indent = ' '.repeat(labelWidth + rowWidth + 4);

/** Prints a result. */
export async function printResult(output: Output, result: ComparedResult): Promise<void> {
  const [label, color] = labels[result.verdict];
  const title = `${result.question}${suffix(result)}`;
  const lines =
    result.verdict === 'not testable'
      ? wrap(`${title}: ${result.evidence}`, output)
      : [...wrap(title, output), ...wrap(result.evidence, output)];
  await printEntry(output, output.style(color, padOrTruncate(label, labelWidth)), result.row, lines, result.meaning);
}

/** Prints the difference of the clocks, as `corridor doctor` does. */
export function printClock(output: Output, { status, check, detail, remedy }: CheckResult): Promise<void> {
  return printEntry(output, padOrTruncate(status, labelWidth), '', wrap(`${check}: ${detail}`, output), remedy);
}

async function printEntry(
  output: Output,
  label: string,
  row: string,
  [first = '', ...rest]: readonly string[],
  advice: string | undefined,
): Promise<void> {
  await output.line(`${label}  ${padOrTruncate(row, rowWidth)}  ${first}`);
  for (const line of rest) await output.line(indent + line);
  if (advice !== undefined)
    for (const [index, line] of wrap(advice, output, 3).entries())
      await output.line(`${indent}${index === 0 ? `${output.style('cyan', '->')} ` : '   '}${line}`);
}

const suffix = ({ comparison, verdict }: ComparedResult): string =>
  comparison === 'changed'
    ? ' (changed)'
    : comparison === 'recorded' && verdict === 'contradicted'
      ? ' (as recorded)'
      : '';

/** Breaks a text into lines that fit the output beside the indent. */
function wrap(text: string, { width }: Output, extra = 0): string[] {
  const max = Math.max(30, Math.min(width, 120) - indent.length - extra);
  const lines: string[] = [];
  for (const word of toPrintable(text).split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= max) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Counts the verdicts, for the last line. */
export function summaryOf(results: readonly ComparedResult[], requests: number): string {
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  const recorded = results.filter(({ verdict, comparison }) => verdict === 'contradicted' && comparison === 'recorded');
  const contradicted = `${count('contradicted')} contradicted${recorded.length > 0 ? ` (${recorded.length} as recorded)` : ''}`;
  return `${count('confirmed')} confirmed, ${contradicted}, ${count('not testable')} not testable; ${requests} requests.`;
}

/** Describes a record that the run made. */
export function describeRecord({ kind, id, note }: MadeRecord): string {
  return [`${kind} ${id ?? '(id unknown)'}`, note].filter((part) => part !== '').join(': ');
}

/** Formats a report in Markdown. */
export function markdownOf(
  host: string,
  results: readonly ComparedResult[],
  records: readonly MadeRecord[],
  clock: CheckResult,
  summary: string,
): string {
  const rows = results.map(
    ({ row, question, verdict, evidence, meaning = '', comparison }) =>
      `| ${[row, question, comparison === 'changed' ? `${verdict}, changed` : verdict, evidence, meaning].map(cell).join(' | ')} |`,
  );
  return [
    `# Assumptions about ${host}`,
    '',
    summary,
    '',
    `Clock of this machine: ${clock.detail}.`,
    '',
    '| id | question | verdict | evidence | meaning |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...(records.length === 0
      ? ['The run made no records.']
      : ['Records that the run made:', '', ...records.map((record) => `- ${cell(describeRecord(record))}`)]),
    '',
  ].join('\n');
}

/** Makes a text safe in a cell: the platform's texts could contain markup. */
const cell = (text: string): string => toPrintable(text).replaceAll(/[\\|<>[\]*]/g, (character) => `\\${character}`);
