import { Session } from 'node:inspector/promises';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

// Prints as JSON the files of src with a function that runs during one successful call: in the client, from the call to
// its result, and in the mock, from the request to the response. Code that runs while a module is loaded does not count.
// `client` and `create` are those of a `payments.create`, `list` those of the mock for a `payments.list`. Run with:
// node --import ./test/examples/from-source.ts test/repository/executed-files.ts

const source = new URL('../../src/', import.meta.url).href;
const session = new Session();
session.connect();
await session.post('Profiler.enable');

/** Returns the files that ran since the last call. */
async function ranSince(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url, functions }) => url.startsWith(source) && functions.some(({ ranges }) => ranges[0]?.count !== 0))
    .map(({ url }) => url.slice(source.length));
}

let [client, mock]: [string[], string[]] = [[], []];
const platform = createMockPlatform();
const options = platform.clientOptions();
const corridor = new Corridor({
  ...options,
  async fetch(...request) {
    client = await ranSince();
    const response = await options.fetch(...request);
    mock = await ranSince();
    return response;
  },
});
const customer = platform.customers.add();
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// The first calls also build schemas and import the key; only the last one is reported.
for (let call = 0; call < 4; call += 1) {
  const payment = platform.payments.createParams({ customerId: customer.id });
  await ranSince();
  await corridor.payments.create(payment);
  client = [...new Set([...client, ...(await ranSince())])];
}
const ofMock = (path: string): boolean => path.startsWith('mock/');
const create = mock;
for (let call = 0; call < 2; call += 1) await corridor.payments.list();
const list = mock.filter(ofMock);
const files = {
  client: client.filter((path) => !ofMock(path)).toSorted(),
  create: create.toSorted(),
  list: list.toSorted(),
};
process.stdout.write(JSON.stringify(files, undefined, 2));
