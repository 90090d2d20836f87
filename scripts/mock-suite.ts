import { webcrypto } from 'node:crypto';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

// How long a partner's test suite takes: 1000 tests, each with a platform, a client and records of its own, and five signed calls. Held
// against the floor beneath it, 5000 bare signatures and verifications in the same run, because machines differ:
// `npm run measure:mock-suite`, or with another number of tests behind `--`.
const tests = Number(process.argv[2] ?? 1000);
const callsOfTest = 5;
const atOnce = 100;

async function runTest(seed: number): Promise<void> {
  const platform = createMockPlatform({ seed });
  const customer = platform.customers.add();
  const beneficiary = platform.beneficiaries.add({ customerId: customer.id });
  const quote = platform.quotes.add({ customerId: customer.id });
  const invoice = platform.documents.add({ customerId: customer.id });
  const corridor = new Corridor(platform.clientOptions());
  await corridor.customers.get(customer.id);
  const [payee] = await corridor.customers.beneficiaries(customer.id).toArray();
  const { id } = await corridor.payments.create({
    customerId: customer.id, beneficiaryId: beneficiary.id, paymentQuoteId: quote.id, documentIds: [invoice.id],
    amount: '1250.00', currencyCode: 'MXN', purposeOfPayment: 'Goods',
  });
  const page = await corridor.payments.list();
  await corridor.documents.downloadUrl(invoice.id);
  const isAlone = payee?.id === beneficiary.id && page.items.length === 1 && page.items[0]?.id === id && platform.requests.length === callsOfTest;
  if (!isAlone) throw new Error(`test ${seed} saw what is not its own`);
}

const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
const keys = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);

async function signAndVerify(count: number): Promise<void> {
  const bytes = new TextEncoder().encode(`a token's header and claims, number ${count}`);
  const signature = await webcrypto.subtle.sign(algorithm.name, keys.privateKey, bytes);
  if (!(await webcrypto.subtle.verify(algorithm.name, keys.publicKey, signature, bytes))) throw new Error('a signature does not verify');
}

/** Wall time and time of all processors, in milliseconds. */
async function measured(count: number, together: number, work: (index: number) => Promise<void>): Promise<{ readonly wall: number; readonly busy: number }> {
  const began = performance.now();
  const used = process.cpuUsage();
  for (let first = 0; first < count; first += together) {
    await Promise.all(Array.from({ length: Math.min(together, count - first) }, (_, index) => work(first + index)));
  }
  const { user, system } = process.cpuUsage(used);
  return { wall: performance.now() - began, busy: (user + system) / 1000 };
}

await runTest(0);
await signAndVerify(0);
const rows = [];
for (const [how, together] of [['one after another', 1], [`${atOnce} at once`, atOnce]] as const) {
  const floor = await measured(tests * callsOfTest, together * callsOfTest, signAndVerify);
  const suite = await measured(tests, together, runTest);
  const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;
  rows.push({
    [`${tests} tests`]: how, 'wall time': seconds(suite.wall), 'of the floor': seconds(floor.wall), 'processor time': seconds(suite.busy),
    ' of the floor': seconds(floor.busy), 'ratio': (suite.busy / floor.busy).toFixed(2),
  });
}
console.table(rows);
