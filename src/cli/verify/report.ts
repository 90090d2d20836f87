import type { CheckResult } from '../check.js';
import { alignColumns, maxTextWidth, pad, toPrintable, wrap, wrapHelp } from '../print/text.js';
import type { Output } from '../terminal.js';
import type { Comparison } from './platform-file.js';
import type { ProbeResult, Verdict } from './probe.js';
import { passes, type MadePayment } from './session.js';

/** A result, and how it compares with the file. */
export interface ComparedResult extends ProbeResult {
  readonly comparison: Comparison;
}

const labelWidth = 12;
const rowWidth = 4;
const indent = ' '.repeat(labelWidth + rowWidth + 4);

/** Prints the results: contradictions, failures, then what is confirmed; and the options that would test more. */
export async function printResults(
  output: Output,
  results: readonly ComparedResult[],
  clock: CheckResult,
): Promise<void> {
  const [failed, untested] = [true, false].map((isFailed) =>
    results.filter(({ verdict, isFailure }) => verdict === 'not testable' && isFailure === isFailed),
  );
  const having = (verdict: Verdict): readonly ComparedResult[] => results.filter((each) => each.verdict === verdict);
  const sections = [
    ['CONTRADICTED', 'red', having('contradicted')],
    ['failed', 'yellow', failed ?? []],
    ['confirmed', 'green', having('confirmed')],
  ] as const;
  for (const [label, color, found] of sections)
    for (const { row, question, evidence, meaning, verdict, comparison } of found) {
      const isRecorded = comparison === 'recorded' && verdict === 'contradicted';
      const suffix = comparison === 'changed' ? ' (changed)' : isRecorded ? ' (as recorded)' : '';
      const texts = [`${question}${suffix}`, evidence];
      await printEntry(output, output.style(color, pad(label, labelWidth)), row, texts, meaning);
    }
  await printEntry(output, pad(clock.status, labelWidth), '', [`${clock.check}: ${clock.detail}`], clock.remedy);
  await printUntested(output, untested ?? []);
}

/** Prints one line for each option that would test more, and the rest in one sentence. */
async function printUntested(output: Output, results: readonly ComparedResult[]): Promise<void> {
  const countOf = (found: readonly unknown[]): string =>
    `${found.length} ${found.length === 1 ? 'question' : 'questions'}`;
  const lines = Object.keys(passes).flatMap((flag): (readonly [string, string])[] => {
    const found = results.filter(({ flags }) => flags.at(-1) === flag);
    const others = new Set(found.flatMap(({ flags }) => flags.slice(0, -1).map((name) => `--${name}`)));
    const needs = [...others, ...(flag === 'payment' ? ['--quote', '--document'] : [])].join(', ');
    const also = needs === '' ? '' : ` (with ${needs})`;
    return found.length === 0 ? [] : [[`--${flag}`, `${countOf(found)}: ${rowsOf(found)}${also}`]];
  });
  const width = Math.min(output.width, maxTextWidth);
  if (lines.length > 0) await output.line(`\nTo test more, pass:\n\n${wrapHelp(alignColumns(lines), width)}`);
  const others = results.filter(({ flags }) => flags.length === 0);
  if (others.length === 0) return;
  const text = `No option tests ${countOf(others)}, for which there are no records or no requests: ${rowsOf(others)}. --json says why.`;
  await output.line(`\n${wrap(text, width).join('\n')}`);
}

const rowsOf = (results: readonly ComparedResult[]): string => [...new Set(results.map(({ row }) => row))].join(', ');

async function printEntry(
  output: Output,
  label: string,
  row: string,
  texts: readonly string[],
  advice?: string,
): Promise<void> {
  const width = Math.max(30, Math.min(output.width, maxTextWidth) - indent.length);
  const [first = '', ...rest] = texts.flatMap((text) => wrap(toPrintable(text), width));
  await output.line(`${label}  ${pad(row, rowWidth)}  ${first}`);
  for (const line of rest) await output.line(indent + line);
  if (advice === undefined) return;
  for (const [index, line] of wrap(toPrintable(advice), width - 3).entries())
    await output.line(`${indent}${index === 0 ? `${output.style('cyan', '->')} ` : '   '}${line}`);
}

/** Counts the verdicts. */
export function summaryOf(results: readonly ComparedResult[], requests: number): string {
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  const recorded = results.filter(({ verdict, comparison }) => verdict === 'contradicted' && comparison === 'recorded');
  const contradicted = `${count('contradicted')} contradicted${recorded.length > 0 ? ` (${recorded.length} as recorded)` : ''}`;
  return `${count('confirmed')} confirmed, ${contradicted}, ${count('not testable')} not tested; ${requests} requests.`;
}

/** Describes a payment that the run made. */
export const describePayment = ({ id, note }: MadePayment): string => `payment ${id ?? '(id unknown)'}: ${note}`;
