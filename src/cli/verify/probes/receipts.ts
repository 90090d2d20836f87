import { paymentStatuses, type PaymentStatus } from '../../../index.js';
import { confirmed, contradicted, notTestable, type Probe } from '../probe.js';
import { paymentPage, payments } from '../samples.js';
import { requestOf, dateOf, type Fields } from '../session.js';
import { lifetimeOf } from '../signed-url.js';

const assumed: readonly PaymentStatus[] = ['COMPLETED', 'RETURNED'];

const hasReceipt = ({ receiptUrl }: Fields): boolean => typeof receiptUrl === 'string' && URL.canParse(receiptUrl);

const receiptStatuses: Probe = {
  row: 'A-37',
  question: 'when a payment has a `receiptUrl`',
  settings: ['behavior.receiptStatuses'],
  isSample: true,
  async run(session) {
    const sample = await payments(session);
    const seen = paymentStatuses.filter((status) => sample.some((payment) => payment['status'] === status));
    const withReceipt = (status: PaymentStatus): boolean =>
      sample.some((payment) => payment['status'] === status && hasReceipt(payment));
    if (!seen.some((status) => assumed.includes(status)))
      return notTestable(`needs a payment that is ${assumed.join(' or ')}`);
    const evidence = `of ${sample.length} payments in ${seen.length} statuses, those with a receipt are ${seen.filter(withReceipt).join(', ') || 'in no status'}`;
    if (seen.every((status) => withReceipt(status) === assumed.includes(status)))
      // A status that no payment has can have a receipt, as in an earlier run.
      return { ...confirmed(evidence), ...(seen.length < paymentStatuses.length && { settings: [] }) };
    const found = [
      ...assumed.filter((status) => !seen.includes(status) || withReceipt(status)),
      ...seen.filter((status) => !assumed.includes(status) && withReceipt(status)),
    ];
    return contradicted(evidence, 'Check receiptUrl for null instead of the status.', {
      behavior: { receiptStatuses: found },
    });
  },
};

const receiptLifetime: Probe = {
  row: 'A-37',
  question: 'how long it is valid',
  settings: ['behavior.receiptLifetime'],
  async run(session) {
    const urls = (await payments(session)).filter(hasReceipt).map(({ receiptUrl }) => String(receiptUrl));
    const { headers, requestId } = await paymentPage(session);
    const at = dateOf(headers);
    const [seconds] = at === undefined ? [] : urls.flatMap((url) => lifetimeOf(url, at) ?? []);
    if (seconds === undefined) return notTestable(`${urls.length} receipts, whose URLs show no expiry`);
    return contradicted(
      `${seconds} s: ${requestOf(requestId).join()}`,
      'Do not store receiptUrl: list the payment again when you need it.',
      { behavior: { receiptLifetime: seconds } },
    );
  },
};

/** The probes of receipts. */
export const receiptProbes: readonly Probe[] = [receiptStatuses, receiptLifetime];
