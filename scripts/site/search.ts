/** What people search for, and the page that answers it, which the search shows first. */
export const answers: Readonly<Record<string, string>> = {
  'rate limit': 'configuration',
  '429': 'errors',
  pagination: 'pagination',
  createOnce: 'exactly-once',
  timeout: 'configuration',
  retry: 'reliability',
  refund: 'cookbook/payments',
  webhook: 'following-payments',
  idempotency: 'exactly-once',
  journal: 'journals',
  reconcile: 'pending-payments',
  sandbox: 'testing',
};
