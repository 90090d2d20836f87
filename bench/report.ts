import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { barChart, type Bar } from './charts.ts';
import { goalsOf } from './goals.ts';
import { nodeVersions, type Figure } from './harness.ts';
import type { Results } from './results.ts';

// `node bench/report.ts`: writes the figures of README.md, of two pages of docs and of ../README.md, and the charts,
// from results.json.
// With --check, only reports whether they are up to date.
const at = (path: string): URL => new URL(path, import.meta.url);
const results = JSON.parse(readFileSync(at('results.json'), 'utf8')) as Results;
const {
  requests,
  pageCheck,
  iterations,
  starts,
  bundles,
  versions,
  memory,
  constructions,
  organizations,
  mockAdapters,
  mockScale,
  exports = [],
  syncs = [],
  fills,
} = results.measured;
const product = 'corridor-sdk';
const [kyByHand, fireblocks] = ['ky + WebCrypto by hand', '@fireblocks/ts-sdk'];

const newestStarts = starts.filter(({ node, format }) => node === nodeVersions.at(-1) && format === 'ES module');

const round = (value: number, digits = 2): string => value.toFixed(digits);
const range = ({ median, lowest, highest }: Figure, digits = 2): string =>
  `${round(median, digits)} (${round(lowest, digits)}–${round(highest, digits)})`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const bars = <T>(
  rows: readonly T[],
  label: (row: T) => string,
  value: (row: T) => number,
  text: (value: number) => string,
): Bar[] =>
  rows.map((row) => ({
    label: label(row),
    value: value(row),
    text: text(value(row)),
    isProduct: label(row) === product,
  }));

const requestTable = (inFlight: number): string => {
  const rows = requests.rows.filter((row) => row.inFlight === inFlight);
  const most = rows.find(({ client }) => client === product)?.perSecond.median ?? Number.NaN;
  return table(
    ['client', 'requests/s, corridor-sdk = 1', 'CPU per request, ms', 'p50, ms', 'p99, ms'],
    rows.map(({ client, perSecond, processor, p50, p99 }) => [
      client,
      round(perSecond.median / most),
      range(processor, 3),
      round(p50.median),
      round(p99.median),
    ]),
  );
};

const sections: Readonly<Record<string, string>> = {
  machine: `${runsOf(Object.keys(results.measured))} Signing one token took ${round(results.token)} ms of CPU time.`,
  goals: table(
    ['measure', 'goal', 'result', 'met'],
    goalsOf(results).map(({ measure, goal, figure, holds }) => [measure, goal, figure, holds ? 'yes' : '**no**']),
  ),
  requests: [
    table(
      ['client', 'compared with', 'in flight', 'requests/s, ratio', 'CPU per request, ratio'],
      requests.ratios.map(({ client, beside, inFlight, perSecond, processor }) => [
        client,
        beside,
        String(inFlight),
        range(perSecond),
        range(processor),
      ]),
    ),
    'One request in flight:',
    requestTable(1),
    '64 requests in flight:',
    requestTable(64),
  ].join('\n\n'),
  pages: table(
    ['measure', 'median (lowest–highest)'],
    [
      ['parsing and validating, relative to JSON.parse alone', range(pageCheck.repeated)],
      ['first page in a new process, ms', range(pageCheck.first, 1)],
    ],
  ),
  iterations: table(
    ['latency, ms', 'work per page, ms', 'corridor-sdk, s', 'loop with ky, s', 'speedup'],
    iterations.map(({ latency, work, product: own, loop, faster }) => [
      String(latency),
      String(work),
      range(own),
      range(loop),
      range(faster),
    ]),
  ),
  memory: [
    table(
      ['items', 'heap, MB'],
      memory.samples.map(({ items, heap }) => [items.toLocaleString('en'), round(heap / 1e6, 1)]),
    ),
    `CPU time per item of the last 100,000, relative to the first: ${range(memory.late)}.`,
  ].join('\n\n'),
  starts: table(
    ['Node', 'format', 'client', 'import, ms', 'response, ms', 'import, relative', 'response, relative'],
    starts.map(({ node, format, name, imported, responded, importedRatio, respondedRatio }) => [
      node,
      format,
      name,
      round(imported.median, 0),
      round(responded.median, 0),
      range(importedRatio),
      range(respondedRatio),
    ]),
  ),
  versions: table(
    ['Node', 'request, 1 in flight', 'request, 64 in flight', 'page'],
    versions.map(({ node, requests: ratios, page }) => [
      node,
      ...[1, 64].map((inFlight) => {
        const found = ratios.find(
          (row) => row.client === product && row.beside === kyByHand && row.inFlight === inFlight,
        );
        return found === undefined ? '' : range(found.processor);
      }),
      range(page),
    ]),
  ),
  bundles: table(
    ['program with one call', 'minified, kB', 'gzipped, kB'],
    bundles.map(({ name, minified, gzipped }) => [name, round(minified / 1000, 1), round(gzipped / 1000, 1)]),
  ),
  constructions: table(
    ['client', 'µs', 'kB of heap'],
    constructions.map(({ name, microseconds, bytes }) => [
      name,
      range(microseconds, 1),
      range({ median: bytes.median / 1000, lowest: bytes.lowest / 1000, highest: bytes.highest / 1000 }, 1),
    ]),
  ),
  organizations:
    organizations === undefined
      ? 'Not measured yet: run `npm run bench -- organizations --write`.'
      : [
          `${organizations.organizations} organizations, each with its own key:`,
          table(
            ['what is added', 'heap of each, kB', 'memory of each, kB', 'open files of each', 'sockets open then'],
            organizations.steps.map(({ step, heap, memory: added, files, sockets }) => [
              step,
              round(Math.max(0, heap) / organizations.organizations / 1000, 0),
              round(added / organizations.organizations / 1000, 0),
              round(files / organizations.organizations, 0),
              String(sockets),
            ]),
          ),
        ].join('\n\n'),
  costs: `${table(['what you do', 'what it costs', 'measure it'], costs())}\n\n${runsOf(Object.keys(results.measured))}`,
  summary: `A request takes ${round(ratioTo(kyByHand, 1).processor)} of the CPU time of ky with the same signature by hand, and ${round(ratioTo(fireblocks, 1).processor)} of that of ${fireblocks}.\nAn export with 8 requests at once is ${round(exportSpeed(), 1)} times as fast as iterating.\nA new process takes ${round(newestStarts.find(({ name }) => name === product)?.respondedRatio.median ?? Number.NaN)} of the time of ky, jose and zod to its first response.\n${runsOf(['requests', 'exports', 'starts'])}`,
  fills:
    fills === undefined
      ? 'Not measured yet: run `npm run bench -- fills --write`.'
      : table(
          [`${fills.payments.toLocaleString('en')} payments`, 'first fill', 'export', 'fill relative to export'],
          [
            [
              'CPU time per payment, ms',
              range(fills.processor.fill, 3),
              range(fills.processor.export, 3),
              range(fills.processor.relative),
            ],
            [
              '8 at once with 100 ms latency, relative to `payments.list`',
              range(fills.faster.fill, 1),
              range(fills.faster.export, 1),
              round(fills.faster.fill.median / fills.faster.export.median),
            ],
          ],
        ),
  exports:
    exports.length === 0
      ? 'Not measured yet: run `npm run bench exports -- --write`.'
      : table(
          ['payments', 'distribution', 'latency, ms', 'way', 'seconds', 'requests', 'heap, MB'],
          exports.map(({ payments, distribution, latency, way, seconds, requests: sent, heap }) => [
            payments.toLocaleString('en'),
            distribution,
            String(latency),
            /^\d+$/.test(way) ? `export, ${way} at once` : way,
            round(seconds, 1),
            sent.toLocaleString('en'),
            round(heap / 1e6, 1),
          ]),
        ),
  mockScale:
    mockScale === undefined
      ? 'Not measured yet: run `npm run bench -- mockScale --write`.'
      : [
          table(
            ['payments', 'mock', 'adding them, s of CPU time', 'memory, MB', 'a page of 100, ms'],
            mockScale.records.map((row) => [
              row.payments.toLocaleString('en'),
              row.where,
              round(row.seconds, 1),
              round(row.memory / 1e6, 0),
              round(row.page, 1),
            ]),
          ),
          `1,000 tests in two workers of Vitest, from start to end: ${range(mockScale.tests, 1)} s.`,
        ].join('\n\n'),
  mock: table(
    ['adapter', 'signed requests/s, platform.fetch = 1'],
    mockAdapters.map(({ name, perSecond }) => [
      name,
      round(perSecond.median / (mockAdapters[0]?.perSecond.median ?? Number.NaN)),
    ]),
  ),
};

/** Says where and when suites were measured. */
function runsOf(suites: readonly string[]): string {
  const groups = Map.groupBy(suites, (suite) => {
    const run = results.runs[suite as keyof Results['runs']];
    return run === undefined
      ? `Node ${results.node}, processor and date not recorded`
      : `${run.date}, Node ${run.node}, ${run.processor}`;
  });
  const measured = [...groups].map(([run, names]) =>
    groups.size === 1 ? run : `${names.map((name) => `\`${name}\``).join(', ')} (${run})`,
  );
  return `Measured: ${measured.join(';\n')}.`;
}

/** The costs, each with the command that measures it, for docs/performance.md. */
function costs(): [string, string, string][] {
  const start = newestStarts.find(({ name }) => name === product);
  const iteration = iterations.find(({ latency, work }) => latency === 20 && work === 20);
  const [quiet, large] = syncs;
  const gzipped = bundles.find(({ name }) => name === product)?.gzipped ?? Number.NaN;
  const milliseconds = (figure: Figure | undefined): string => `${round(figure?.median ?? Number.NaN, 0)} ms`;
  const rows: [string, string, string][] = [
    ...[1, 64].map((inFlight): [string, string, string] => [
      inFlight === 1 ? 'send one request at a time' : `send ${inFlight} requests at once`,
      `${round(ratioTo(kyByHand, inFlight).processor)} of the CPU time of ky with the same signature by hand, and ${round(ratioTo(fireblocks, inFlight).processor)} of that of ${fireblocks}; ${round(ratioTo(fireblocks, inFlight).perSecond, 1)} times its requests per second`,
      'requests',
    ]),
    [
      'read a page of 100 payments',
      `${round(pageCheck.repeated.median)} of the time of \`JSON.parse\` alone`,
      'pageCheck',
    ],
    [
      'iterate over a list, 20 ms latency, 20 ms of your work per page',
      `${round(iteration?.faster.median ?? Number.NaN, 1)} times as fast as a loop with ky, with one page in memory`,
      'iterations',
    ],
    [
      'export payments, 8 requests at once, 100 ms latency',
      `${round(exportSpeed(), 1)} times as fast as iterating`,
      'exports',
    ],
    ...(quiet === undefined || large === undefined
      ? []
      : ([
          [
            `fill a mirror with ${large.payments.toLocaleString('en')} payments, as the export`,
            `${round(large.walk / large.seconds, 1)} times as fast as iterating, ` +
              `${round(large.memory / 1e6, 0)} MB in a container with 512 MB`,
            'syncs',
          ],
          [
            'keep it true while nothing changes',
            `${quiet.idle} requests per run with ${quiet.open} payments in progress`,
            'syncs',
          ],
        ] satisfies [string, string, string][])),
    ...(fills === undefined
      ? []
      : ([
          [
            `fill a mirror with ${fills.payments.toLocaleString('en')} payments, 8 requests at once, 100 ms latency`,
            `${round(fills.faster.fill.median, 1)} times as fast as iterating, and ` +
              `${round(fills.processor.relative.median, 1)} times the CPU time of an export`,
            'fills',
          ],
        ] satisfies [string, string, string][])),
    [
      'start a process',
      `${milliseconds(start?.responded)} to the first response; the import takes ${round(start?.importedRatio.median ?? Number.NaN)} of the time of its dependencies`,
      'starts',
    ],
    ['bundle the client', `${Math.round(gzipped / 1000)} kB, minified and compressed`, 'bundles'],
  ];
  return rows.map(([what, cost, suite]) => [what, cost, `\`npm run bench -- ${suite}\``]);
}

function ratioTo(beside: string, inFlight: number): { readonly perSecond: number; readonly processor: number } {
  const found = requests.ratios.find(
    (row) => row.client === product && row.beside === beside && row.inFlight === inFlight,
  );
  return { perSecond: found?.perSecond.median ?? Number.NaN, processor: found?.processor.median ?? Number.NaN };
}

/** How many times as fast as iterating an export is. */
function exportSpeed(): number {
  const seconds = (way: string): number =>
    exports.find((row) => row.latency === 100 && row.distribution === 'even' && row.way === way)?.seconds ?? Number.NaN;
  return seconds('list') / seconds('8');
}

const at64 = requests.rows.filter(({ inFlight }) => inFlight === 64);
const charts: Record<string, string> = {
  'processor.svg': barChart(
    'CPU time per request, 64 in flight, ms (shorter is better)',
    bars(
      at64,
      ({ client }) => client,
      ({ processor }) => processor.median,
      (value) => round(value, 3),
    ),
  ),
  'requests.svg': barChart(
    'Requests per second, 64 in flight (longer is better)',
    bars(
      at64,
      ({ client }) => client,
      ({ perSecond }) => perSecond.median,
      (value) => value.toFixed(0),
    ),
  ),
  'iteration.svg': barChart(
    '100 pages, seconds (shorter is better)',
    iterations.flatMap(({ latency, work, product: own, loop }) => [
      {
        label: `${latency} ms latency, ${work} ms work`,
        value: own.median,
        text: `${round(own.median)} ${product}`,
        isProduct: true,
      },
      { label: '', value: loop.median, text: `${round(loop.median)} loop with ky`, isProduct: false },
    ]),
  ),
  'starts.svg': barChart(
    'From import to the first response, ms (shorter is better)',
    bars(
      newestStarts,
      ({ name }) => name,
      ({ responded }) => responded.median,
      (value) => value.toFixed(0),
    ),
  ),
  'bundles.svg': barChart(
    'Bundle of a minimal client, gzipped, kB',
    bars(
      bundles,
      ({ name }) => name,
      ({ gzipped }) => gzipped / 1000,
      (value) => round(value, 1),
    ),
  ),
};

const pages = ['README.md', '../docs/performance.md', '../docs/cookbook/organizations.md', '../README.md'].map(
  (path) => {
    const before = readFileSync(at(path), 'utf8');
    const after = before.replaceAll(
      /(<!-- from the bench: (\w+) -->)[^]*?(<!-- end -->)/g,
      (_, open: string, name: string, close: string) => {
        const section = sections[name];
        if (section === undefined)
          throw new Error(`${path} has a section ${name}, but results.json has no such measurement`);
        return `${open}\n\n${section}\n\n${close}`;
      },
    );
    return { path, before, after };
  },
);

if (exports.length > 0)
  charts['exports.svg'] = barChart(
    'Reading 100,000 payments with 100 ms latency, seconds (shorter is better)',
    exports
      .filter(({ latency, distribution }) => latency === 100 && distribution === 'even')
      .map(({ way, seconds }) => ({
        label: /^\d+$/.test(way)
          ? `payments.export, ${way} at once`
          : way === 'list'
            ? 'payments.list'
            : 'loop by hand',
        value: seconds,
        text: round(seconds, 1),
        isProduct: /^\d+$/.test(way),
      })),
  );

const folder = at('charts/');
const drawn = (name: string): string | undefined => {
  try {
    return readFileSync(new URL(name, folder), 'utf8');
  } catch {
    return undefined;
  }
};

if (process.argv.includes('--check')) {
  const stale = [
    ...pages.filter(({ before, after }) => before !== after).map(({ path }) => path),
    ...Object.entries(charts)
      .filter(([name, chart]) => drawn(name) !== chart)
      .map(([name]) => `charts/${name}`),
  ];
  if (stale.length > 0) {
    console.error(`bench: ${stale.join(', ')} differ from results.json; run: node bench/report.ts`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(folder, { recursive: true });
  for (const { path, after } of pages) writeFileSync(at(path), after);
  for (const [name, chart] of Object.entries(charts)) writeFileSync(new URL(name, folder), chart);
}
