import * as client from 'corridor-sdk';
import * as postgresJournal from 'corridor-sdk/journal/postgres';
import * as sqliteJournal from 'corridor-sdk/journal/sqlite';
import * as testing from 'corridor-sdk/journal/testing';
import * as postgresMirror from 'corridor-sdk/mirror/postgres';
import * as sqliteMirror from 'corridor-sdk/mirror/sqlite';
import * as mock from 'corridor-sdk/mock';
import * as msw from 'corridor-sdk/mock/msw';
import * as node from 'corridor-sdk/mock/node';
import * as opentelemetry from 'corridor-sdk/opentelemetry';
import * as schemas from 'corridor-sdk/schemas';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

// `mock/vitest` registers matchers and exports nothing.
const entries = {
  '.': client,
  './journal/postgres': postgresJournal,
  './journal/sqlite': sqliteJournal,
  './journal/testing': testing,
  './mirror/postgres': postgresMirror,
  './mirror/sqlite': sqliteMirror,
  './mock': mock,
  './mock/msw': msw,
  './mock/node': node,
  './mock/vitest': {},
  './opentelemetry': opentelemetry,
  './schemas': schemas,
};

const pool = {
  query: () => Promise.reject(new Error('not used')),
  connect: () => Promise.reject(new Error('not used')),
};
const server = { listen: () => {}, close: () => {} };

/** Every function and class of the package that takes options, with the options passed on. */
const withOptions: Readonly<Record<string, (options: never) => unknown>> = {
  Corridor: (options) => new client.Corridor(options),
  PostgresJournal: (options) => new postgresJournal.PostgresJournal(pool, options),
  SqliteJournal: (options) => new sqliteJournal.SqliteJournal(':memory:', options),
  PostgresMirror: (options) => new postgresMirror.PostgresMirror(pool, options),
  SqliteMirror: (options) => new sqliteMirror.SqliteMirror(':memory:', options),
  MockPlatform: (options) => new mock.MockPlatform(options),
  createMockPlatform: (options) => mock.createMockPlatform(options),
  intercept: (options) => msw.intercept(server, mock.createMockPlatform(), options),
  serveMockPlatform: (options) => node.serveMockPlatform(options),
  observeAllClients: (options) => opentelemetry.observeAllClients(options),
  observeJournal: (options) => opentelemetry.observeJournal(new client.MemoryJournal(), options),
  observeMirror: (options) => opentelemetry.observeMirror(new sqliteMirror.SqliteMirror(':memory:'), options),
  telemetryHooks: (options) => opentelemetry.telemetryHooks(options),
  paymentCreateParamsOf: (options) => schemas.paymentCreateParamsOf(options),
};

// They take no options: a record, a status, a name, a platform, a text or nothing.
const withoutOptions = [
  'MemoryJournal postgresMigration postgresMirrorTables sqliteMirrorTables strict unknownFields unknownValue',
  'isBeneficiaryStatus isCustomerStatus isFinalStatus isPaymentCurrency isPaymentStatus',
  'assertInterception connectMockPlatform mockHandlers MockClock replayRecording snapshotFromLines snapshotToLines',
].flatMap((names) => names.split(' '));
// Programs get instances of these and cannot create them.
const internal = ['Page', 'PagePromise', 'PaymentExport'];

test('the lists have every function and class of the package', () => {
  const isEntry = (name: string): boolean => !name.endsWith('json');
  expect(Object.keys(entries).toSorted()).toEqual(Object.keys(packageJson.exports).filter(isEntry).toSorted());
  const exported = Object.values(entries).flatMap((entry) =>
    Object.entries<unknown>(entry).flatMap(([name, value]) =>
      typeof value === 'function' && !name.endsWith('Error') ? name : [],
    ),
  );
  expect([...new Set(exported)].toSorted()).toEqual(
    [...Object.keys(withOptions), ...withoutOptions, ...internal].toSorted(),
  );
});

test.each(Object.entries(withOptions))('%s rejects an option that it does not know', async (_, call) => {
  await expect((async () => call({ tabel: 'live' } as never))()).rejects.toThrow(/\btabel is not a known field/);
  await expect((async () => call('live' as never))()).rejects.toThrow(/object|not a known field/);
});
