import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type ServedMockPlatform } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSnippetRecords } from '../docs/fixture.js';
import { fencesIn } from '../docs/snippet.js';
import { read } from '../repository/tree.js';
import { corridor, ended, environmentOf, startCorridor } from './corridor.js';

let served: ServedMockPlatform;
let environment: Readonly<Record<string, string>>;
let folder: string;

beforeAll(async () => {
  served = await serveMockPlatform();
  addSnippetRecords(served.platform);
  environment = await environmentOf(served);
  folder = await mkdtemp(join(tmpdir(), 'corridor-documented-'));
  await writeFile(join(folder, 'payment.json'), JSON.stringify({
    customerId: 'cus_1', beneficiaryId: 'ben_1', paymentQuoteId: 'quo_1', documentIds: ['doc_1'],
    amount: '1250.00', currencyCode: 'USD', purposeOfPayment: 'Goods', internalReference: 'order-4711',
  }));
});

afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

/** A command as a document shows it, with what it prints. */
interface Shown {
  readonly at: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  readonly prints: string;
}

const shown = fencesIn(read('docs/command-line.md').text).filter(({ info }) => info === 'text').map(({ line, code }): Shown => {
  const [prompt = '', ...printed] = code.split('\n');
  const [, assignments = '', rest = ''] = /^\$ ((?:\w+=\S+ )*)corridor (.*)$/.exec(prompt) ?? [];
  const variables = Object.fromEntries([...assignments.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  const words = [...rest.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  return { at: `docs/command-line.md:${line}`, variables, words, prints: printed.join('\n') };
});

/** The text without what differs from run to run. */
function lasting(text: string): string {
  const changing: readonly (readonly [RegExp, string])[] = [
    [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(time)'], [/thumbprint [\w-]{43}/g, 'thumbprint (…)'], [/\breq_\w+/g, 'req_…'], [/\bpay_\w{16}\b/g, 'pay_…'], [/\b\d+ ms\b/g, '(n) ms'],
    [/127\.0\.0\.1:\d+/g, '127.0.0.1:(port)'], [/\S*corridor-mock-\w+\/key\.pem/g, '(key file)'], [/on Node [\d.]+/g, 'on Node (version)'],
  ];
  return changing.reduce((clean, [pattern, replacement]) => clean.replaceAll(pattern, replacement), text);
}

/** Expects what a document shows, in which a line of `…` stands for any lines. */
function expectShown(printed: string, prints: string): void {
  const parts = lasting(prints).split(/^ *…\n/m);
  const [first = '', ...rest] = parts;
  if (rest.length === 0) expect(lasting(printed)).toBe(first);
  else expect(lasting(printed)).toMatch(new RegExp(`^${parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('[^]*')}$`));
}

describe('every command that the document shows prints what it shows', () => {
  test.each(shown.map((each) => [`${each.at}: corridor ${each.words.join(' ')}`, each] as const))('%s', async (_, { variables, words, prints }) => {
    const surroundings = { environment: { ...environment, ...variables }, folder };
    if (words[0] === 'mock') {
      const child = startCorridor([...words, '--port', '0'], { folder });
      const run = ended(child);
      await once(child.stdout, 'data');
      child.kill('SIGINT');
      expectShown((await run).output, prints);
      return;
    }
    const { output, notes } = await corridor(words, surroundings);
    expectShown(output + notes, prints);
  });

  test('and it shows every command', () => {
    expect(new Set(shown.map(({ words }) => words[0]))).toEqual(new Set(['keygen', 'doctor', 'call', 'mock']));
  });
});
