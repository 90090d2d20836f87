/** The call that failed. */
export type Call = 'create' | 'reconcile' | 'write' | 'read';

/** The advice for an error. */
export interface Decision {
  readonly call: Call;
  /** The `code` of the error, or its `outcome` for all other codes. */
  readonly sign: string;
  /** Whether money has moved, or may have. */
  readonly money: string;
  readonly risk: 'no' | 'maybe' | 'yes';
  /** Whether the same call may be repeated. */
  readonly repeat: string;
  readonly next: string;
  /** The page with the details. */
  readonly link: string;
}

export const calls: readonly { readonly call: Call; readonly text: string }[] = [
  { call: 'create', text: 'A payment: createOnce() or create()' },
  { call: 'reconcile', text: 'A search for a payment: reconcile() or reconcilePending()' },
  { call: 'write', text: 'Another write: documents.delete(), support.reply() or request()' },
  { call: 'read', text: 'A read, a list, a wait or an export' },
];

/** The advice for each call: error codes first, because they say more than the outcome. */
export const decisions: readonly Decision[] = [
  {
    call: 'create',
    sign: "code is 'duplicate-payment'",
    money: 'Two payments exist for one quote. Money may move twice.',
    risk: 'yes',
    repeat: 'No.',
    next: 'Contact the platform immediately, with error.paymentIds and error.requestId.',
    link: '/errors#all-errors',
  },
  {
    call: 'create',
    sign: "code is 'payment-mismatch'",
    money: 'A payment exists for the quote, but it differs from your request.',
    risk: 'yes',
    repeat: 'No.',
    next: 'Compare error.payment with your records: error.mismatches lists the fields. A person decides.',
    link: '/errors#all-errors',
  },
  {
    call: 'create',
    sign: "code is 'payment-outcome-unknown' and outcome is 'unknown'",
    money: 'The payment may exist. The list of payments did not show it, or could not be read.',
    risk: 'maybe',
    repeat: 'Not before you have reconciled.',
    next: 'Store error.intent. Later, in any process, call payments.reconcile(error.intent).',
    link: '/pending-payments#store-intents-yourself',
  },
  {
    call: 'create',
    sign: "code is 'payment-outcome-unknown' and outcome is 'applied'",
    money: 'The payment exists as error.paymentId. Only the list does not show it yet.',
    risk: 'yes',
    repeat: 'No.',
    next: 'Store error.paymentId and error.intent. Later, call payments.reconcile(error.intent).',
    link: '/pending-payments#store-intents-yourself',
  },
  {
    call: 'create',
    sign: "outcome is 'not-sent'",
    money: 'This call created no payment: nothing was sent.',
    risk: 'no',
    repeat: 'Yes, after the fix.',
    next: 'Read error.message. Call createOnce again with the same idempotencyKey.',
    link: '/journals',
  },
  {
    call: 'create',
    sign: "outcome is 'rejected'",
    money: 'This call created no payment: the platform rejected the request.',
    risk: 'no',
    repeat: 'Yes, after the fix.',
    next: 'Fix the request: see error.platformCode. After a RateLimitError, call again later.',
    link: '/errors#all-errors',
  },
  {
    call: 'create',
    sign: "outcome is 'unknown', with another code",
    money: 'The payment may exist.',
    risk: 'maybe',
    repeat: 'Not before you have reconciled.',
    next: 'Store error.intent and call payments.reconcile(error.intent).',
    link: '/pending-payments#store-intents-yourself',
  },
  {
    call: 'create',
    sign: "outcome is 'applied', with another code",
    money: 'The payment exists. Only the response cannot be used.',
    risk: 'yes',
    repeat: 'No.',
    next: 'Call payments.reconcile(error.intent), which finds the payment. Report error.requestId to the platform.',
    link: '/errors#all-errors',
  },
  {
    call: 'reconcile',
    sign: "code is 'duplicate-payment'",
    money: "Two payments exist for one quote. reconcilePending() returns this as the status 'duplicate'.",
    risk: 'yes',
    repeat: 'No.',
    next: 'Contact the platform immediately, with error.paymentIds.',
    link: '/errors#all-errors',
  },
  {
    call: 'reconcile',
    sign: "code is 'payment-mismatch'",
    money: "A payment exists for the quote, but it differs from your request. reconcilePending() returns 'mismatch'.",
    risk: 'yes',
    repeat: 'No.',
    next: 'Compare error.payment with your records: error.mismatches lists the fields. A person decides.',
    link: '/errors#all-errors',
  },
  {
    call: 'reconcile',
    sign: 'code is any other',
    money: 'The payment may exist, whatever the outcome: that is the one of the search, which changes nothing.',
    risk: 'maybe',
    repeat: 'Yes, later.',
    next: 'Keep the intent until a search says that the payment exists.',
    link: '/pending-payments',
  },
  {
    call: 'write',
    sign: "outcome is 'not-sent' or 'rejected'",
    money: 'Nothing was changed, and no money moved.',
    risk: 'no',
    repeat: 'Yes, after the fix.',
    next: 'Read error.message.',
    link: '/errors#all-errors',
  },
  {
    call: 'write',
    sign: "outcome is 'unknown' or 'applied', after request()",
    money: 'If the endpoint moves money, it may have moved: request() does not know what it calls.',
    risk: 'maybe',
    repeat: 'No.',
    next: 'Read from the platform what the call changed, or ask the platform with error.requestId.',
    link: '/errors#all-errors',
  },
  {
    call: 'write',
    sign: "outcome is 'unknown' or 'applied', after delete() or reply()",
    money: 'No money is involved. The document may be deleted, or the reply sent.',
    risk: 'no',
    repeat: 'A delete: yes. A reply: check the ticket first, or it may appear twice.',
    next: 'Delete again, or read the ticket on the platform.',
    link: '/reliability',
  },
  {
    call: 'read',
    sign: "code is 'wait-timeout'",
    money: 'This call moved no money. The payment exists or not, whatever the wait reports.',
    risk: 'no',
    repeat: 'Yes.',
    next: 'Read error.statusHistory. If error.unreachable is true, the status cannot be reached any more.',
    link: '/following-payments',
  },
  {
    call: 'read',
    sign: 'code is any other',
    money: 'This call moved no money: reads change nothing.',
    risk: 'no',
    repeat: 'Yes. Reads were retried already.',
    next: 'If a page of a list failed, continue from error.cursor.',
    link: '/pagination#resume',
  },
];
