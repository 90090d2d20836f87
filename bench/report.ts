import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { barChart, type Bar } from './charts.ts';
import { goalsOf } from './goals.ts';
import type { Figure } from './harness.ts';
import type { Results } from './results.ts';

// `node bench/report.ts`: draws docs/performance.md and its charts from results.json. With --check, only says whether they are as drawn.
const at = (path: string): URL => new URL(path, import.meta.url);
const results = JSON.parse(readFileSync(at('results.json'), 'utf8')) as Results;
const { requests, pageCheck, walks, starts, bundles, memory, constructions, mockCarriers } = results.measured;
const product = 'corridor-sdk';

const round = (value: number, digits = 2): string => value.toFixed(digits);
const range = ({ median, lowest, highest }: Figure, digits = 2): string => `${round(median, digits)} (${round(lowest, digits)}–${round(highest, digits)})`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const bars = <T>(rows: readonly T[], label: (row: T) => string, value: (row: T) => number, text: (value: number) => string): Bar[] =>
  rows.map((row) => ({ label: label(row), value: value(row), text: text(value(row)), isProduct: label(row) === product }));

const requestTable = (inFlight: number): string => {
  const rows = requests.rows.filter((row) => row.inFlight === inFlight);
  const most = rows.find(({ client }) => client === product)?.perSecond.median ?? Number.NaN;
  return table(
    ['client', 'requests/s, product = 1', 'processor a request, ms', 'p50, ms', 'p99, ms'],
    rows.map(({ client, perSecond, processor, p50, p99 }) => [client, round(perSecond.median / most), range(processor, 3), round(p50.median), round(p99.median)]),
  );
};

const sections: Readonly<Record<string, string>> = {
  machine: `Node ${results.node}; one signed token takes ${round(results.token)} ms of processor on the machine of this run.`,
  goals: table(['measure', 'goal', 'figure', 'holds'], goalsOf(results).map(({ measure, goal, figure, holds }) => [measure, goal, figure, holds ? 'yes' : '**no**'])),
  requests: [
    table(['client', 'beside', 'in flight', 'requests/s, times as many', 'processor a request, times as much'], requests.ratios.map(({ client, beside, inFlight, perSecond, processor }) => [client, beside, String(inFlight), range(perSecond), range(processor)])),
    'One request after another:', requestTable(1), '64 at once:', requestTable(64),
  ].join('\n\n'),
  pages: table(['measure', 'with emitted code', 'where code from text is barred'], [
    ['JSON.parse and check, over JSON.parse alone', range(pageCheck.compiled), range(pageCheck.withoutEval)],
    ['first page in a fresh process, ms', range(pageCheck.firstCompiled, 1), range(pageCheck.firstWithoutEval, 1)],
  ]),
  walks: table(['latency, ms', 'work a page, ms', 'product, s', 'loop by hand, s', 'times as fast'], walks.map(({ latency, work, product: own, byHand, faster }) => [String(latency), String(work), range(own), range(byHand), range(faster)])),
  memory: [
    table(['items', 'heap, MB'], memory.samples.map(({ items, heap }) => [items.toLocaleString('en'), round(heap / 1e6, 1)])),
    `Processor for an item of the last 100,000, over that of a walk that has just begun, block beside block: ${range(memory.late)}.`,
  ].join('\n\n'),
  starts: table(['', 'import, ms', 'to first answer, ms', 'import, over ky + jose + zod', 'to first answer, over theirs'], starts.map(({ name, imported, answered, importedRatio, answeredRatio }) => [name, range(imported, 0), range(answered, 0), range(importedRatio), range(answeredRatio)])),
  bundles: table(['program of one call', 'minified, kB', 'gzipped, kB'], bundles.map(({ name, minified, gzipped }) => [name, round(minified / 1000, 1), round(gzipped / 1000, 1)])),
  constructions: table(['client', 'µs', 'kB held'], constructions.map(({ name, microseconds, bytes }) => [name, range(microseconds, 1), range({ median: bytes.median / 1000, lowest: bytes.lowest / 1000, highest: bytes.highest / 1000 }, 1)])),
  mock: table(['carrier', 'signed requests/s, platform.fetch = 1'], mockCarriers.map(({ name, perSecond }) => [name, round(perSecond.median / (mockCarriers[0]?.perSecond.median ?? Number.NaN))])),
};

const at64 = requests.rows.filter(({ inFlight }) => inFlight === 64);
const charts: Readonly<Record<string, string>> = {
  'processor.svg': barChart('Processor a request, 64 in flight, ms (shorter is better)', bars(at64, ({ client }) => client, ({ processor }) => processor.median, (value) => round(value, 3))),
  'requests.svg': barChart('Requests a second, 64 in flight (longer is better)', bars(at64, ({ client }) => client, ({ perSecond }) => perSecond.median, (value) => value.toFixed(0))),
  'walks.svg': barChart('100 pages, seconds (shorter is better)', walks.flatMap(({ latency, work, product: own, byHand }) => [
    { label: `${latency} ms latency, ${work} ms work`, value: own.median, text: `${round(own.median)} product`, isProduct: true },
    { label: '', value: byHand.median, text: `${round(byHand.median)} loop by hand`, isProduct: false },
  ])),
  'starts.svg': barChart('From import to the first answer, ms (shorter is better)', bars(starts, ({ name }) => name, ({ answered }) => answered.median, (value) => value.toFixed(0))),
  'bundles.svg': barChart('Bundle of a minimal client, gzipped, kB', bars(bundles, ({ name }) => name, ({ gzipped }) => gzipped / 1000, (value) => round(value, 1))),
};

const page = at('../docs/performance.md');
const before = readFileSync(page, 'utf8');
const after = before.replaceAll(/(<!-- from the bench: (\w+) -->)[^]*?(<!-- end -->)/g, (_, open: string, name: string, close: string) => {
  const section = sections[name];
  if (section === undefined) throw new Error(`docs/performance.md asks for ${name}, of which there is nothing`);
  return `${open}\n\n${section}\n\n${close}`;
});

const folder = at('../docs/performance/');
const drawn = (name: string): string | undefined => {
  try {
    return readFileSync(new URL(name, folder), 'utf8');
  } catch {
    return undefined;
  }
};

if (process.argv.includes('--check')) {
  const stale = [...(before === after ? [] : ['performance.md']), ...Object.entries(charts).filter(([name, chart]) => drawn(name) !== chart).map(([name]) => `performance/${name}`)];
  if (stale.length > 0) {
    console.error(`docs: ${stale.join(', ')} are not what bench/results.json gives; run: node bench/report.ts`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(folder, { recursive: true });
  writeFileSync(page, after);
  for (const [name, chart] of Object.entries(charts)) writeFileSync(new URL(name, folder), chart);
}
