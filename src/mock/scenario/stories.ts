import type { MockScenario } from './scenario.js';

/** The scenarios of the package, by name. */
export const mockScenarios = {
  'first-payment': {
    description:
      'A customer, a beneficiary, a quote of 1250.00 MXN and an invoice, ready for a payment. Payments that you create are approved after one minute, processed after two and completed after three.',
    behavior: { quoteLifetime: 604_800 },
    customers: [{ id: 'cus_first', companyName: 'Northwind Imports Ltd' }],
    beneficiaries: [
      { id: 'ben_first', customerId: 'cus_first', currencyCode: 'MXN', companyName: 'Talleres Robles SA' },
    ],
    quotes: [{ id: 'quo_first', customerId: 'cus_first', paymentAmount: '1250.00', paymentCurrencyCode: 'MXN' }],
    documents: [{ id: 'doc_first', customerId: 'cus_first' }],
    createdPayments: { statuses: ['APPROVED', 'PROCESSING', 'COMPLETED'], trigger: { every: { minutes: 1 } } },
  },
  'screening-hold': {
    description:
      'A payment stays in PENDING_REVIEW, because a director of its customer has an open screening match. Clear the match and approve the payment to continue.',
    customers: [{ id: 'cus_held', companyName: 'Halcyon Trading Ltd' }],
    persons: [{ id: 'per_held', customerId: 'cus_held', screening: { previouslyCleared: [] } }],
    payments: [{ id: 'pay_held', customerId: 'cus_held', status: 'PENDING_REVIEW', currencyCode: 'MXN' }],
  },
  'returned-payout': {
    description:
      'A payment is in PROCESSING. After an hour, the bank of its beneficiary returns it; a support ticket asks about the account.',
    customers: [{ id: 'cus_returned', companyName: 'Meridian Textiles Ltd' }],
    payments: [
      {
        id: 'pay_returned',
        customerId: 'cus_returned',
        status: 'PROCESSING',
        currencyCode: 'ZAR',
        transitions: { statuses: ['RETURNED'], trigger: { every: { hours: 1 } } },
      },
    ],
    tickets: [
      {
        id: 'tic_returned',
        subject: 'Payment pay_returned: the account of the beneficiary',
        replies: [{ bodyText: 'The bank reports that the account is closed. Please check the account number.' }],
      },
    ],
  },
  outage: {
    description:
      'The platform is down: the first create loses its response after the payment was made, and every other request gets a 503 until you clear the faults.',
    populate: { customers: 3, beneficiaries: 3, persons: 3, payments: 20, quotes: 0, documents: 0, tickets: 0 },
    faults: [
      { endpoint: 'payments.create', fault: { kind: 'reset-after-commit' }, times: 1 },
      { endpoint: '*', fault: { kind: 'status', status: 503 } },
    ],
  },
  'month-end': {
    description:
      '5,000 payments of one customer are in PROCESSING and complete after an hour; one in ten lists takes half a second longer.',
    customers: [{ id: 'cus_month_end', companyName: 'Atlas Payroll Services Ltd' }],
    payments: [
      {
        customerId: 'cus_month_end',
        status: 'PROCESSING',
        count: 5000,
        transitions: { statuses: ['COMPLETED'], trigger: { every: { hours: 1 } } },
      },
    ],
    faults: [{ endpoint: 'payments.list', fault: { kind: 'slow', delay: 500 }, probability: 0.1 }],
  },
} as const satisfies Readonly<Record<string, MockScenario>>;

/** The name of a scenario of the package. */
export type MockScenarioName = keyof typeof mockScenarios;
