import { webcrypto } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform, snapshotToLines } from 'corridor-sdk/mock';

// Measures the test suite of a partner: 1000 tests, each with its platform, client and records, and five
// signed calls: one after another, like a worker of a runner; in two workers, like a runner with two cores;
// and many at once. Compared with a lower bound of 5000 bare signatures and verifications in the same run, because
// machines differ. Then a mock of 100,000 payments. `npm run measure:mock-suite` prints both; `--` takes another number of
// tests.
const tests = Number(process.argv[2] ?? 1000);
const callsOfTest = 5;

async function runTest(seed: number): Promise<void> {
  const platform = createMockPlatform({ seed });
  const params = platform.payments.createParams();
  const corridor = new Corridor(platform.clientOptions());
  await corridor.customers.get(params.customerId);
  const [payee] = await corridor.customers.beneficiaries(params.customerId).toArray();
  const { id } = await corridor.payments.create(params);
  const page = await corridor.payments.list();
  await corridor.documents.downloadUrl(params.documentIds[0] ?? '');
  const isAlone =
    payee?.id === params.beneficiaryId &&
    page.items.length === 1 &&
    page.items[0]?.id === id &&
    platform.requests.length === callsOfTest;
  if (!isAlone) throw new Error(`test ${seed} saw records of another test`);
}

const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
};
const keys = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);

async function signAndVerify(count: number): Promise<void> {
  const bytes = new TextEncoder().encode(`a token's header and claims, number ${count}`);
  const signature = await webcrypto.subtle.sign(algorithm.name, keys.privateKey, bytes);
  if (!(await webcrypto.subtle.verify(algorithm.name, keys.publicKey, signature, bytes)))
    throw new Error('a signature does not verify');
}

type Work = (index: number) => Promise<void>;
const works: Readonly<Record<'suite' | 'floor', { readonly work: Work; readonly perTest: number }>> = {
  suite: { work: runTest, perTest: 1 },
  floor: { work: signAndVerify, perTest: callsOfTest },
};

/** Runs a number of tests, a few at a time. */
async function perform(name: keyof typeof works, count: number, together: number): Promise<void> {
  const { work, perTest } = works[name];
  for (let first = 0; first < count; first += together) {
    await Promise.all(
      Array.from({ length: Math.min(together, count - first) * perTest }, (_, index) => work(first * perTest + index)),
    );
  }
}

interface Share {
  readonly name: keyof typeof works;
  readonly count: number;
}

/** Does a part of the work one after another in another worker. */
function performElsewhere(share: Share): Promise<void> {
  return new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { workerData: share })
      .on('error', reject)
      .on('exit', (code) => (code === 0 ? resolve() : reject(new Error('a worker failed'))));
  });
}

const ways: Readonly<Record<string, (name: keyof typeof works) => Promise<unknown>>> = {
  'one after another': (name) => perform(name, tests, 1),
  'so in two workers': (name) => Promise.all([0, 1].map(() => performElsewhere({ name, count: tests / 2 }))),
  '100 at once': (name) => perform(name, tests, 100),
};

/** Wall time and time of all processors, in seconds. */
async function measured(work: () => Promise<unknown>): Promise<{ readonly wall: number; readonly processor: number }> {
  const began = performance.now();
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  const seconds = (milliseconds: number): number => Number((milliseconds / 1000).toFixed(2));
  return { wall: seconds(performance.now() - began), processor: seconds((user + system) / 1000) };
}

async function compare(): Promise<void> {
  const rows = [];
  for (const [how, work] of Object.entries(ways)) {
    const floor = await measured(() => work('floor'));
    const suite = await measured(() => work('suite'));
    rows.push({ how, suite, floor, ratio: Number((suite.processor / floor.processor).toFixed(2)) });
  }
  console.table(
    rows.map(({ how, suite, floor, ratio }) => ({
      [`${tests} tests`]: how,
      'wall time': `${suite.wall} s`,
      'of the floor': `${floor.wall} s`,
      'processor time': `${suite.processor} s`,
      ' of the floor': `${floor.processor} s`,
      ratio,
    })),
  );
}

const payments = 100_000;

/** Measures a platform with many payments of one customer: adding them, its memory, a page in each order, and its lines. */
async function measureLarge(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const megabytes = (): number => {
    collect();
    return Math.round(process.memoryUsage().heapUsed / 1e6);
  };
  const before = megabytes();
  const platform = createMockPlatform();
  const { id: beneficiaryId } = platform.beneficiaries.add({ currencyCode: 'MXN' });
  const add = await measured(async () => void platform.payments.addMany(payments, () => ({ beneficiaryId })));
  const memory = megabytes() - before;
  const corridor = new Corridor(platform.clientOptions());
  const pages: Record<string, number> = {};
  for (const listOrder of ['newest-first', 'oldest-first', 'shuffled'] as const) {
    platform.configure({ listOrder });
    const { nextCursor } = await corridor.payments.list({ limit: 100 });
    const { processor } = await measured(async () => {
      for (let count = 0; count < 20; count += 1)
        await corridor.payments.list({ limit: 100, ...(nextCursor !== null && { cursor: nextCursor }) });
    });
    pages[listOrder] = Math.round((processor / 20) * 1000);
  }
  const lines = await measured(async () => {
    for (const line of snapshotToLines(platform.snapshot())) if (line === '') throw new Error('an empty line');
  });
  console.log({
    payments,
    node: process.version,
    processorSecondsToAdd: add.processor,
    megabytes: memory,
    processorMillisecondsOfPage: pages,
    processorSecondsToWriteLines: lines.processor,
  });
}

if (isMainThread) {
  await runTest(0);
  await signAndVerify(0);
  await compare();
  await measureLarge();
} else {
  const { name, count } = workerData as Share;
  await perform(name, count, 1);
}
