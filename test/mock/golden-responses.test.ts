import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';

interface Recorded {
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

test('every response is the one that it always was', async () => {
  const platform = createMockPlatform({ seed: 7, now: () => Date.UTC(2026, 2, 1, 9) });
  platform.clock.freeze();
  platform.populate({ customers: 3, payments: 5 });
  const customer = platform.customers.add({ id: 'cus_golden' });
  const beneficiary = platform.beneficiaries.add({ id: 'ben_golden', customerId: customer.id });
  const person = platform.persons.add({ id: 'per_golden', customerId: customer.id });
  const ticket = platform.tickets.add({ id: 'tic_golden', replies: [{ bodyText: 'Where is the payment?' }] });
  const document = platform.documents.add({ id: 'doc_golden' });
  const order = platform.payments.createParams({ customerId: customer.id, beneficiaryId: beneficiary.id });

  const recorded: Recorded[] = [];
  const { fetch, ...options } = platform.clientOptions();
  const client = new Corridor({
    ...options,
    maxRetries: 0,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      const response = await fetch(request);
      const text = await response.clone().text();
      recorded.push({
        request: `${request.method} ${pathname}${search}`,
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: response.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : text.length,
      });
      return response;
    },
  });
  const { payments, customers, screening, crypto, support, documents } = client;
  const first = await payments.list({ limit: 2 });
  const calls: (() => PromiseLike<unknown>)[] = [
    () => first.getNextPage(),
    () => payments.list({ status: 'COMPLETED', createdFrom: '2026-01-01T00:00Z' }),
    () => payments.create(order),
    () => payments.create(order),
    () => payments.create({ ...order, amount: '1.00' }),
    () => customers.list({ limit: 2 }),
    () => customers.get(customer.id),
    () => customers.get('nobody'),
    () => customers.activity(customer.id),
    () => customers.beneficiaries(customer.id),
    () => screening.get(customer.id, person.id),
    () => screening.history(customer.id, person.id),
    () => crypto.paymentMethods(),
    () => crypto.networks(),
    () => support.reply(ticket.id, { actorEmail: 'a@b.example', bodyText: 'Soon.' }),
    () => support.attachmentUrl(ticket.id, 'nothing'),
    () => documents.downloadUrl(document.id),
    () => documents.delete(document.id),
    () => documents.delete(document.id),
    () => client.request({ method: 'GET', path: '/api/v1/nothing' }),
    () => client.request({ method: 'GET', path: '/api/v1/payment', query: { limit: 'x' } }),
  ];
  for (const call of calls) await Promise.resolve(call()).catch(() => {});

  await expect(`${JSON.stringify(recorded, null, 2)}\n`).toMatchFileSnapshot('./golden-responses.json');
});
