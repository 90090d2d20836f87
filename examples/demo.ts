import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { Corridor, endpointNames, type Beneficiary, type Customer, type PaymentCreate } from 'corridor-sdk';
import { serveMockPlatform, type ServedMockPlatform } from 'corridor-sdk/mock/node';
import { answerTicket } from './answer-ticket.ts';
import { checkScreening } from './check-screening.ts';
import { createPayment } from './create-payment.ts';
import { deleteDocument } from './delete-document.ts';
import { downloadDocument } from './download-document.ts';
import { findApprovedCustomer } from './find-approved-customer.ts';
import { listCryptoMethods } from './list-crypto-methods.ts';
import { readCustomer } from './read-customer.ts';
import { seeRefusal } from './see-refusal.ts';
import { statusTable } from './status-table.ts';
import { summarisePayments } from './summarise-payments.ts';

/** What happens on the platform's own pages, which its API does not offer: a quote is asked for, an invoice uploaded, a ticket opened. */
function prepare({ platform }: ServedMockPlatform, customer: Customer, beneficiary: Beneficiary) {
  const customerId = customer.id;
  return {
    quote: platform.quotes.add({ customerId, paymentAmount: '1250.00', paymentCurrencyCode: beneficiary.currencyCode, paymentToken: 'USDC', paymentNetwork: 'POLYGON' }),
    invoice: platform.documents.add({ customerId, fileName: 'invoice-4711.pdf' }),
    draft: platform.documents.add({ customerId, kind: 'other', fileName: 'draft.pdf' }),
    person: platform.persons.add({ customerId, runs: 4, screening: { openMatches: [] } }),
    ticket: platform.tickets.add({ subject: 'Which invoice belongs to this payment?' }),
  };
}

/** A partner's day with the platform: the functions of the other examples, one after the other, over real HTTP. */
async function day(served: ServedMockPlatform, folder: string): Promise<void> {
  const corridor = new Corridor(served.clientOptions());

  title('Find an approved customer');
  const customer = required(await findApprovedCustomer(corridor));
  line(`${customer.companyName}, ${customer.city}, ${customer.countryOfIncorporation.name}  (${customer.id})`);

  title('Read its activity and its beneficiaries');
  const { activity, beneficiaries } = await readCustomer(corridor, customer.id);
  for (const entry of activity.toReversed()) line(`${dayOf(entry.createdAt)}  ${entry.fromStatus} -> ${entry.toStatus}, by ${entry.createdByFirstName} ${entry.createdByLastName}`);
  const beneficiary = required(beneficiaries[0]);
  line(`${beneficiaries.length} approved beneficiaries; to be paid today: ${beneficiary.companyName}, ${beneficiary.bankName}, ${beneficiary.currencyCode}`);
  const { quote, invoice, draft, person, ticket } = prepare(served, customer, beneficiary);

  title('Check the screening of its director');
  const { clear, screening, runs } = await checkScreening(corridor, customer.id, person.id);
  line(`${screening.subject.displayName}: ${clear ? 'clear' : 'held'}, ${screening.openMatches.length} open matches in ${runs.length} runs, last on ${dayOf(screening.subject.lastScreenedAt)}`);

  title('List the crypto payment methods');
  for (const { token, networks } of await listCryptoMethods(corridor)) line(`${token}  ${networks.map(({ name, feeUsd }) => `${name} ${feeUsd}`).join(', ')}`);

  title('Create a payment, without its invoice: the platform refuses');
  const order: PaymentCreate = {
    customerId: customer.id, beneficiaryId: beneficiary.id, paymentQuoteId: quote.id, documentIds: [invoice.id], internalReference: 'order-4711',
    amount: '1250.00', currencyCode: beneficiary.currencyCode as PaymentCreate['currencyCode'], purposeOfPayment: 'Goods of order 4711',
  };
  (await seeRefusal(corridor, { ...order, documentIds: [draft.id] })).forEach(line);

  title('Create it against its quote and its invoice');
  const { payment } = await createPayment(corridor, order);
  line(`${payment.id}: ${payment.amount} ${payment.currencyCode} to ${payment.beneficiary.companyName} is ${payment.status}`);
  if (payment.paymentQuote?.fundingType === 'CRYPTO') line(`costs ${payment.paymentQuote.quotedTokenAmount} ${payment.paymentQuote.paymentToken} on ${payment.paymentQuote.paymentNetwork}, fees included`);

  title('Walk all payments, page after page');
  const sums = await summarisePayments(corridor);
  statusTable(sums).forEach(line);
  line(`completed: ${sums.filter(({ status }) => status === 'COMPLETED').slice(0, 3).map(({ total, currencyCode }) => `${total} ${currencyCode}`).join(', ')}`);

  title('Download the invoice by its signed link, and delete a draft');
  const saved = await downloadDocument(corridor, invoice.id, join(folder, 'invoice.pdf'));
  line(`${invoice.fileName}: ${saved.bytes} bytes of ${saved.contentType}; draft deleted: ${await deleteDocument(corridor, draft.id)}`);

  title('Answer a support ticket');
  const attachmentId = required(ticket.attachments[0]).id;
  const bytes = await answerTicket(corridor, ticket.id, attachmentId, { actorEmail: 'ops@partner.example', bodyText: `It is ${invoice.fileName}.` });
  line(`read its attachment (${bytes} bytes) and replied to "${ticket.subject}"`);
}

/** Serves a mock platform, spends a partner's day with it, and says what came of that. */
async function demo(): Promise<void> {
  const began = performance.now();
  const served = await serveMockPlatform({ seed: 7 });
  const folder = await mkdtemp(join(tmpdir(), 'corridor-demo-'));
  try {
    served.platform.populate();
    const { customers, payments, requests } = served.platform;
    console.log(`A mock of the platform answers at ${served.url}, with ${customers.all().length} customers and ${payments.all().length} payments.`);
    await day(served, folder);
    const signed = new Set(requests.flatMap(({ claims }) => claims?.['jti'] ?? []));
    const called = endpointNames.filter((name) => requests.of(name).length > 0);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`\n${requests.length} requests over HTTP to ${called.length} of ${endpointNames.length} endpoints in ${seconds} s: ${signed.size} carried an RS256 token of their own,`);
    console.log(`which the platform verified; ${requests.length - signed.size} were downloads by signed link, which carry none.`);
  } finally {
    await served.close();
    await rm(folder, { recursive: true });
  }
}

function title(text: string): void {
  console.log(`\n${styleText('bold', text)}`);
}

function line(text: string): void {
  console.log(text.replace(/(.{1,110})(?: |$)/g, '\n  $1').slice(1));
}

function dayOf(timestamp: string | null | undefined): string {
  return timestamp?.slice(0, 10) ?? 'some day';
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the seeded platform lacks a record that the demo needs');
  return value;
}

if (import.meta.main) await demo();
