import { mkdtemp, rm, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import {
  Corridor,
  endpointNames,
  paymentCurrencies,
  type Beneficiary,
  type Customer,
  type PaymentCreateParams,
} from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { replyToTicket } from './reply-to-ticket.ts';
import { checkScreening } from './check-screening.ts';
import { createPayment } from './create-payment.ts';
import { deleteDocument } from './delete-document.ts';
import { downloadDocument } from './download-document.ts';
import { findApprovedCustomer } from './find-approved-customer.ts';
import { listCryptoMethods } from './list-crypto-methods.ts';
import { readCustomer } from './read-customer.ts';
import { inspectError } from './inspect-error.ts';
import { statusTable } from './status-table.ts';
import { summarizePayments } from './summarize-payments.ts';

/**
 * Does on the platform what its API does not offer: requests a quote, uploads an invoice and opens a ticket.
 */
function prepare({ platform }: MockPlatformServer, customer: Customer, beneficiary: Beneficiary) {
  const customerId = customer.id;
  return {
    quote: platform.quotes.add({
      customerId,
      paymentAmount: '1250.00',
      paymentCurrencyCode: beneficiary.currencyCode,
      paymentToken: 'USDC',
      paymentNetwork: 'POLYGON',
    }),
    invoice: platform.documents.add({ customerId, fileName: 'invoice-4711.pdf' }),
    draft: platform.documents.add({ customerId, kind: 'other', fileName: 'draft.pdf' }),
    person: platform.persons.add({ customerId, runs: 4, screening: { openMatches: [] } }),
    ticket: platform.tickets.add({ subject: 'Which invoice belongs to this payment?' }),
  };
}

/** A partner's day with the platform: functions of other examples, one after the other, over real HTTP. */
async function day(served: MockPlatformServer, folder: string): Promise<void> {
  const corridor = new Corridor(served.clientOptions());

  title('Find an approved customer');
  const customer = required(await findApprovedCustomer(corridor));
  line(`${customer.companyName}, ${customer.city}, ${customer.countryOfIncorporation.name}  (${customer.id})`);

  title('Read its activity and its beneficiaries');
  const { activity, beneficiaries } = await readCustomer(corridor, customer.id);
  for (const entry of activity.toReversed())
    line(
      `${dayOf(entry.createdAt)}  ${entry.fromStatus} -> ${entry.toStatus}, by ${entry.createdByFirstName} ${entry.createdByLastName}`,
    );
  const beneficiary = required(beneficiaries[0]);
  line(
    `${beneficiaries.length} approved beneficiaries; to be paid today: ${beneficiary.companyName}, ${beneficiary.bankName}, ${beneficiary.currencyCode}`,
  );
  const { quote, invoice, draft, person, ticket } = prepare(served, customer, beneficiary);

  title('Check the screening of its director');
  const { clear, screening, runs } = await checkScreening(corridor, customer.id, person.id);
  line(
    `${screening.subject.displayName}: ${clear ? 'clear' : 'held'}, ${screening.openMatches.length} open matches in ${runs.length} runs, last on ${dayOf(screening.subject.lastScreenedAt)}`,
  );

  title('List the crypto payment methods');
  for (const { token, networks } of await listCryptoMethods(corridor))
    line(`${token}  ${networks.map(({ name, feeUsd }) => `${name} ${feeUsd}`).join(', ')}`);

  title('Create a payment without its invoice: the platform rejects it');
  const order: PaymentCreateParams = {
    customerId: customer.id,
    beneficiaryId: beneficiary.id,
    paymentQuoteId: quote.id,
    documentIds: [invoice.id],
    internalReference: 'order-4711',
    amount: '1250.00',
    currencyCode: required(paymentCurrencies.find((code) => code === beneficiary.currencyCode)),
    purposeOfPayment: 'Goods of order 4711',
  };
  (await inspectError(corridor, 'order-4711', { ...order, documentIds: [draft.id] })).forEach(line);

  title('Create it against its quote and its invoice');
  const { payment } = await createPayment(corridor, 'order-4711', order);
  line(
    `${payment.id}: ${payment.amount} ${payment.currencyCode} to ${payment.beneficiary.companyName} is ${payment.status}`,
  );
  if (payment.paymentQuote?.fundingType === 'CRYPTO')
    line(
      `costs ${payment.paymentQuote.quotedTokenAmount} ${payment.paymentQuote.paymentToken} on ${payment.paymentQuote.paymentNetwork}, fees included`,
    );

  title('Iterate over all payments, page by page');
  const sums = await summarizePayments(corridor);
  statusTable(sums).forEach(line);
  line(
    `completed: ${sums
      .filter(({ status }) => status === 'COMPLETED')
      .slice(0, 3)
      .map(({ total, currencyCode }) => `${total} ${currencyCode}`)
      .join(', ')}`,
  );

  title('Download the invoice by its signed link, and delete a draft');
  const path = join(folder, 'invoice.pdf');
  await downloadDocument(corridor, invoice.id, path);
  line(
    `${invoice.fileName}: ${(await stat(path)).size} bytes; draft deleted: ${await deleteDocument(corridor, draft.id)}`,
  );

  title('Reply to a support ticket');
  const attachmentId = required(ticket.attachments[0]).id;
  const bytes = await replyToTicket(corridor, ticket.id, attachmentId, {
    actorEmail: 'ops@partner.example',
    bodyText: `It is ${invoice.fileName}.`,
  });
  line(`read its attachment (${bytes} bytes) and replied to "${ticket.subject}"`);
}

/**
 * Serves a mock platform, makes the calls of a partner's day, and prints the results. With `staysOpen`, the console shows
 * them until Ctrl+C.
 */
async function demo(staysOpen: boolean): Promise<void> {
  const began = performance.now();
  const served = await serveMockPlatform({ seed: 7, control: true });
  const folder = await mkdtemp(join(tmpdir(), 'corridor-demo-'));
  try {
    served.platform.populate();
    const { customers, payments, requests } = served.platform;
    print(
      `A mock of the platform is listening at ${served.url}, with ${customers.all().length} customers and ${payments.all().length} payments.`,
    );
    await day(served, folder);
    const signed = new Set(requests.flatMap(({ claims }) => claims?.['jti'] ?? []));
    const called = endpointNames.filter((name) => requests.to(name).length > 0);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log();
    print(
      `${requests.length} requests over HTTP to ${called.length} of ${endpointNames.length} endpoints in ${seconds} s: ${signed.size} had a separate RS256 token, which the platform verified; ${requests.length - signed.size} were downloads by signed link, without a token.`,
    );
    const address = styleText('bold', `${served.url}/__mock/console`);
    if (!staysOpen) return console.log(`\nSee them in the console: npm run demo -- --console`);
    console.log(`\nThe console shows them: ${address}\nCtrl+C stops it.`);
    await once(process, 'SIGINT');
  } finally {
    await served.close();
    await rm(folder, { recursive: true });
  }
}

function title(text: string): void {
  console.log(`\n${styleText('bold', text)}`);
}

function line(text: string): void {
  print(text, '  ');
}

const colors = [
  ['green', /\b(?:APPROVED|COMPLETED)\b/g],
  ['yellow', /\b(?:PENDING_REVIEW|CORRECTION_NEEDED|CORRECTION_REQUESTED|PROCESSING)\b/g],
  ['red', /\b(?:REJECTED|RETURNED)\b/g],
] as const;

/** Prints a text in lines of at most 80 characters; on a terminal, statuses have colors. */
function print(text: string, indent = ''): void {
  const width = 80 - indent.length;
  const lines = text.replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), `\n${indent}$1`).slice(1);
  console.log(
    colors.reduce((shown, [color, statuses]) => shown.replaceAll(statuses, (each) => styleText(color, each)), lines),
  );
}

function dayOf(timestamp: string | null | undefined): string {
  return timestamp?.slice(0, 10) ?? 'some day';
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the seeded platform lacks a record that the demo needs');
  return value;
}

// node examples/demo.ts [--console]
if (import.meta.main) await demo(process.argv.includes('--console'));
