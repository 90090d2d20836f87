import { readFileSync } from 'node:fs';
import { validateResponse } from '../../src/contract/violations.ts';
import { resolveDialect } from '../../src/contract/dialect.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { buildRequest } from '../../src/transport/request.ts';
import { parseResponse } from '../../src/transport/response.ts';

// Measures the validation of a page of 100 payments, compared with `JSON.parse` alone. It imports the sources, because
// the package does not export it; everything else is measured on the built package.
const [file = '', rounds = '0'] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');
const { result } = endpoints['payments.list'];

const value: unknown = JSON.parse(text);
const began = performance.now();
const findings = validateResponse(result(), value).length;
const first = performance.now() - began;
if (findings > 0) throw new Error('the page does not conform');

const same = (words: string): string => words;
const rules = { onDrift: undefined, redact: same, createMask: () => same };
const request = { ...buildRequest('payments.list', {}, resolveDialect()), validation: 'standard' as const };
const kinds = {
  parse: () => JSON.parse(text) as unknown,
  both: () => parseResponse(request, text, 'application/json', rules),
};

/** The CPU time of this process for 30 of a kind, in milliseconds. */
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
