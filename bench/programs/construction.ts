import { apiKey } from '../clients/client.ts';

// Creates many clients and reports the cost of one.
const [name = '', privateKey = '', rounds = '5'] = process.argv.slice(2);
const count = 1000;

async function maker(): Promise<() => unknown> {
  const url = 'http://127.0.0.1:1';
  if (name === 'corridor-sdk') {
    const { Corridor } = await import('../../dist/index.js');
    return () => new Corridor({ baseUrl: url, apiKey, privateKey });
  }
  if (name === 'stripe') {
    const { default: Stripe } = await import('stripe');
    return () => new Stripe('sk_test_bench');
  }
  if (name === 'openai') {
    const { default: OpenAI } = await import('openai');
    return () => new OpenAI({ apiKey });
  }
  if (name === 'modern-treasury') {
    const { default: ModernTreasury } = await import('modern-treasury');
    return () => new ModernTreasury({ apiKey, organizationID: 'org_1' });
  }
  const { Fireblocks } = await import('@fireblocks/ts-sdk');
  return () => new Fireblocks({ apiKey, secretKey: privateKey, basePath: url });
}

const make = await maker();
const collect = (globalThis as unknown as { readonly gc: () => void }).gc;
const samples: { readonly microseconds: number; readonly bytes: number }[] = [];

// A separate function, so that the clients of a round are garbage before the next round measures its baseline.
function sample(): { readonly microseconds: number; readonly bytes: number } {
  collect();
  const before = process.memoryUsage().heapUsed;
  const began = performance.now();
  const clients = Array.from({ length: count }, make);
  const microseconds = ((performance.now() - began) * 1000) / count;
  collect();
  return { microseconds, bytes: (process.memoryUsage().heapUsed - before) / clients.length };
}

sample();
for (let round = 0; round < Number(rounds); round += 1) samples.push(sample());
console.log(JSON.stringify(samples));
process.exit(0);
