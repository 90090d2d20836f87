import { Session } from 'node:inspector/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { Corridor } from 'corridor-sdk';
import { connectMockPlatform, createMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';

// Prints the path of a call: the files of src with a function that runs during its second, successful call. Code that
// runs while a module is loaded does not count. With --json, prints one object for test/repository. Run with:
// node --import ./scripts/from-source.ts scripts/call-paths.ts

const source = new URL('../src/', import.meta.url).href;

/** Counts the files in which functions ran (V8's precise coverage of this thread). */
class Coverage {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** Returns the files that ran since the last call, as paths from src. */
  async take(): Promise<string[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url, functions }) => url.startsWith(source) && functions.some(({ ranges }) => ranges[0]?.count !== 0))
      .map(({ url }) => url.slice(source.length))
      .toSorted();
  }

  /** Returns the files that run during the second of two calls. */
  async second(call: () => Promise<unknown>): Promise<string[]> {
    await call();
    await this.take();
    await call();
    return this.take();
  }
}

async function callPaths(): Promise<Record<string, string[]>> {
  // In a thread of its own, so that only the client is measured.
  const worker = new Worker(new URL(import.meta.url));
  const { url, token } = await new Promise<{ url: string; token: string }>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  const remote = await connectMockPlatform(url, token);
  const { apiKey, privateKey } = await remote.credentials();
  const corridor = new Corridor({ baseUrl: url, apiKey, privateKey });
  await remote.populate({ payments: 2_000 });
  // The newest 150: two pages.
  const newest = (await corridor.payments.list({ limit: 100 }).toArray({ max: 150 })).at(-1)?.createdAt ?? '';
  const range = { createdFrom: '2020-01-01T00:00:00Z', createdTo: '2030-01-01T00:00:00Z' };
  const [first, second, third, fourth] = await Promise.all([1, 2, 3, 4].map(() => remote.payments.createParams()));
  const orders = [first, second, third, fourth].values();
  const next = () => orders.next().value as NonNullable<typeof first>;

  const coverage = new Coverage();
  await coverage.start();
  const client = {
    'payments.create': await coverage.second(() => corridor.payments.create(next())),
    'payments.list': await coverage.second(async () => {
      for await (const { id } of corridor.payments.list({ limit: 100, createdFrom: newest })) if (id === '') break;
    }),
    'payments.createOnce': await coverage.second(() => corridor.payments.createOnce(next())),
    'payments.export': await coverage.second(async () => {
      for await (const { id } of corridor.payments.export(range)) if (id === '') break;
    }),
  };
  await worker.terminate();

  const platform = createMockPlatform();
  const local = new Corridor(platform.clientOptions());
  const mock = await coverage.second(async () => {
    const order = platform.payments.createParams();
    await coverage.take();
    await local.payments.create(order);
  });
  return {
    ...Object.fromEntries(
      Object.entries(client).map(([name, files]) => [name, files.filter((path) => !path.startsWith('mock/'))]),
    ),
    'a create in the mock': mock.filter((path) => path.startsWith('mock/')),
  };
}

if (isMainThread) {
  const found = await callPaths();
  if (process.argv.includes('--json')) console.log(JSON.stringify(found));
  else
    for (const [name, files] of Object.entries(found))
      console.log(`${name}: ${files.length} files\n  ${files.join('\n  ')}\n`);
} else {
  const served = await serveMockPlatform({ control: true });
  parentPort?.postMessage({ url: served.url, token: served.controlToken });
}
