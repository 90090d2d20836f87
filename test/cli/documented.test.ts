import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addExampleRecords, order } from '../../scripts/specification/specification.ts';
import { fencesIn } from '../docs/read-snippets.ts';
import { read } from '../../scripts/repository/tree.ts';
import { corridor, ended, environmentOf, startCorridor } from './corridor.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;

beforeAll(async () => {
  served = await serveMockPlatform();
  addExampleRecords(served.platform);
  environment = await environmentOf(served);
  folder = await mkdtemp(join(tmpdir(), 'corridor-documented-'));
  await writeFile(join(folder, 'payment.json'), JSON.stringify({ ...order, internalReference: 'order-4711' }));
  const journal = new SqliteJournal(join(folder, 'payments.sqlite'));
  await journal.claim({
    version: 1,
    id: '3f0c6d0e-6a0e-4c2e-9d5e-0a4d4f0d6a11',
    idempotencyKey: 'order-4712',
    request: {
      customerId: 'cus_1',
      beneficiaryId: 'ben_1',
      paymentQuoteId: 'quo_0',
      amount: '1250.00',
      currencyCode: 'USD',
      internalReference: 'order-4712',
      purposeOfPayment: 'Goods',
      documentIds: ['doc_1'],
    },
    createdAt: '2026-11-21T08:00:49.995Z',
    sendUntil: '2026-11-21T08:01:49.995Z',
    clockKnown: true,
    clockOffset: 0,
  });
  journal.close();
});

afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

/** A documented command with its output. */
interface Shown {
  readonly at: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  readonly prints: string;
}

const shown = fencesIn(read('docs/command-line.md').text)
  .filter(({ info }) => info === 'text')
  .map(({ line, code }): Shown => {
    const [prompt = '', ...printed] = code.split('\n');
    const [, assignments = '', rest = ''] = /^\$ ((?:\w+=\S+ )*)corridor (.*)$/.exec(prompt) ?? [];
    const variables = Object.fromEntries(
      [...assignments.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    const words = [...rest.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    return { at: `docs/command-line.md:${line}`, variables, words, prints: printed.join('\n') };
  });

/** Replaces the parts of a text that differ from run to run. */
function normalized(text: string): string {
  const changing: readonly (readonly [RegExp, string])[] = [
    [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(time)'],
    [/thumbprint [\w-]{43}/g, 'thumbprint (…)'],
    [/\breq_\w+/g, 'req_…'],
    [/\bpay_\w{16}\b/g, 'pay_…'],
    [/\b\d+ ms\b/g, '(n) ms'],
    [/127\.0\.0\.1:\d+/g, '127.0.0.1:(port)'],
    [/\S*corridor-mock-\w+\/key\.pem/g, '(key file)'],
    [/\bNode( +)[\d.]+/g, 'Node$1(version)'],
  ];
  return changing.reduce((clean, [pattern, replacement]) => clean.replaceAll(pattern, replacement), text);
}

/** Expects documented output, in which a line of `…` matches any lines. */
function expectShown(printed: string, prints: string): void {
  const parts = normalized(prints).split(/^ *…\n/m);
  const [first = '', ...rest] = parts;
  if (rest.length === 0) expect(normalized(printed)).toBe(first);
  else
    expect(normalized(printed)).toMatch(
      new RegExp(`^${parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('[^]*')}$`),
    );
}

describe('every documented command prints the documented output', () => {
  test.each(shown.map((each) => [`${each.at}: corridor ${each.words.join(' ')}`, each] as const))(
    '%s',
    async (_, { variables, words, prints }) => {
      const surroundings = { environment: { ...environment, NO_COLOR: '1', ...variables }, folder };
      if (words[0] === 'mock') {
        const child = startCorridor([...words, '--port', '0'], { folder });
        const run = ended(child);
        await once(child.stdout, 'data');
        child.kill('SIGINT');
        expectShown((await run).output, prints);
        return;
      }
      // As on the terminal of a reader; colors cannot be shown in Markdown.
      const terminal = words[0] === 'call' ? { terminal: 120 } : {};
      const { output, notes } = await corridor(words, { ...surroundings, ...terminal });
      expectShown(output + notes, prints);
    },
  );

  test('every command is documented', () => {
    expect(new Set(shown.map(({ words }) => words[0]))).toEqual(
      new Set(['keygen', 'doctor', 'call', 'journal', 'mock']),
    );
  });
});
