import {
  Corridor,
  CorridorError,
  endpointNames,
  MemoryJournal,
  type CorridorOptions,
  type CustomRequest,
  type PaymentOutcomeUnknownError,
  type WaitTimeoutError,
} from 'corridor-sdk';
import { PostgresJournal } from 'corridor-sdk/journal/postgres';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { createMockPlatform, paymentTransitions, type MockPlatformError } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';

// Exports of a partner's library without explicit types: the compiler must be able to write each into a
// declaration file.
export const makeClient = (options: CorridorOptions) => new Corridor(options);
const corridor = makeClient({
  baseUrl: 'https://api.platform.example',
  apiKey: 'not-a-real-key',
  signer: async () => new Uint8Array(256),
});

export const { payments, customers, screening, crypto, documents, support } = corridor;
export const create = payments.create.bind(payments);
export const createOnce = payments.createOnce.bind(payments);
export const methods = {
  list: (...given: Parameters<typeof payments.list>) => payments.list(...given),
  find: (...given: Parameters<typeof payments.find>) => payments.find(...given),
  changes: (...given: Parameters<typeof payments.changes>) => payments.changes(...given),
  waitForStatus: (...given: Parameters<typeof payments.waitForStatus>) => payments.waitForStatus(...given),
  check: (...given: Parameters<typeof payments.preflight>) => payments.preflight(...given),
  reconcilePending: (...given: Parameters<typeof payments.reconcilePending>) => payments.reconcilePending(...given),
  reconcile: (...given: Parameters<typeof payments.reconcile>) => payments.reconcile(...given),
  customers: (...given: Parameters<typeof customers.list>) => customers.list(...given),
  customer: (id: string) => customers.get(id),
  customerStatus: (...given: Parameters<typeof customers.waitForStatus>) => customers.waitForStatus(...given),
  activity: (id: string) => customers.activity(id).withResponse(),
  beneficiaries: (id: string) => customers.beneficiaries(id).pages(),
  screening: (id: string, person: string) => screening.get(id, person),
  history: (id: string, person: string) => screening.history(id, person),
  methods: () => crypto.paymentMethods(),
  networks: () => crypto.networks(),
  reply: (...given: Parameters<typeof support.reply>) => support.reply(...given),
  link: (id: string) => documents.downloadUrl(id),
  request: (request: CustomRequest) => corridor.request(request),
};
export const firstPage = async () => await payments.list({ limit: 10 });
export const iterate = async function* () {
  for await (const payment of payments.list()) yield payment;
};
export const amounts = async () =>
  (await payments.list().toArray({ max: 10 })).map(({ id, amount, authorization, paymentQuoteId }) => ({
    id,
    amount,
    authorization,
    paymentQuoteId,
  }));
export const quoteOf = async (given: Parameters<typeof create>[0]) => (await create(given)).paymentQuote;
export const names = endpointNames;
export const reasonOf = (error: unknown) =>
  error instanceof CorridorError
    ? {
        outcome: error.outcome,
        code: error.code,
        attempts: error.attempts,
        endpoint: error.endpoint,
        intent: error.intent,
      }
    : undefined;
export const again = (error: PaymentOutcomeUnknownError) => error.reconcile();
export const seen = (error: WaitTimeoutError) => error.statusHistory;
export class AccountClient extends Corridor {
  readonly journal = new MemoryJournal();
  paid = () => this.payments.list({ status: 'COMPLETED' });
}
export const options = {
  dialect: { filterNames: { limit: 'pageSize' } },
  hooks: { onRetry: (event) => void event.attempt },
} satisfies CorridorOptions;

export const journals = {
  postgres: (pool: ConstructorParameters<typeof PostgresJournal>[0]) => new PostgresJournal(pool),
  sqlite: (path: string) => new SqliteJournal(path),
};

export const platform = createMockPlatform({ seed: 1 });
export const { clock, faults, requests } = platform;
export const records = {
  payments: platform.payments,
  customers: platform.customers,
  quotes: platform.quotes,
  documents: platform.documents,
  persons: platform.persons,
  tickets: platform.tickets,
};
export const added = () => ({
  payment: platform.payments.add(),
  person: platform.persons.add(),
  quotes: platform.quotes.addMany(2),
  ticket: platform.tickets.add(),
  document: platform.documents.add(),
  beneficiary: platform.beneficiaries.add(),
});
export const logged = () => platform.requests.to('payments.create').map(({ body, claims }) => ({ body, claims }));
export const kept = platform.snapshot();
export const acme = () => platform.organization();
export const credentials = () => platform.credentials();
export const clientOptions = platform.clientOptions();
export const transitions = { ...paymentTransitions };
export const problem = (error: MockPlatformError) => error.message;
export const served = () => serveMockPlatform({ port: 0 });
export const handle = platform.handle.bind(platform);
