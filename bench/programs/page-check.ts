import { readFileSync } from 'node:fs';
import { answerFindings } from '../../src/contract/check.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { readAnswer } from '../../src/transport/answer.ts';

// What it costs to hold a page of 100 payments against the contract, over `JSON.parse` alone. Taken from the sources, because the
// package has no door to it; everything else is measured on the package as it is built.
const [file = '', rounds = '0'] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');
const { result } = endpoints['payments.list'];

const value: unknown = JSON.parse(text);
const began = performance.now();
const findings = answerFindings(result(), value).length;
const first = performance.now() - began;
if (findings > 0) throw new Error('the page does not conform');

const rules = { validation: 'standard', onDrift: undefined, scrub: (words: string) => words } as const;
const request = { endpoint: 'payments.list', template: '', method: 'GET', uri: '', headers: {}, body: undefined, answer: 'json', result, repeat: 'always' } as const;
const kinds = {
  parse: () => JSON.parse(text) as unknown,
  both: () => readAnswer(request, text, 'application/json', rules),
};

/** Milliseconds that 30 of a kind take, of this process's own time. */
function timed(work: () => unknown): number {
  const used = process.cpuUsage();
  const start = performance.now();
  for (let count = 0; count < 30; count += 1) work();
  const { user, system } = process.cpuUsage(used);
  return Math.min((user + system) / 1000, performance.now() - start);
}

const times: { readonly parse: number; readonly both: number }[] = [];
for (let round = -5; round < Number(rounds); round += 1) {
  const isTurned = round % 2 === 0;
  const one = timed(isTurned ? kinds.both : kinds.parse);
  const other = timed(isTurned ? kinds.parse : kinds.both);
  // The first rounds warm up.
  if (round >= 0) times.push(isTurned ? { parse: other, both: one } : { parse: one, both: other });
}
console.log(JSON.stringify({ first, times }));
