import { randomUUID } from 'node:crypto';
import type { PaymentTemplate, Writes } from './settings.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  timeOf,
  type Fields,
  type ReceivedResponse,
  type Session,
} from './session.js';

/** What the payments of a run showed; a fact is undefined if it could not be established. */
export interface PaymentFacts {
  /** The first accepted payment, as in the response. */
  readonly payment: Fields;
  readonly reply: ReceivedResponse;
  /** Whether the platform accepted an amount other than that of the quote, with the response. */
  readonly freeAmount: readonly [boolean, ReceivedResponse] | undefined;
  readonly idempotency: 'none' | 'by-quote' | 'by-reference' | 'by an unknown field';
  readonly quotes: 'single-use' | 'reusable' | undefined;
  /** The responses to the repeated requests. */
  readonly repeats: readonly ReceivedResponse[];
  /**
   * How many seconds after its request the list showed the payment, rounded up; 0 if its first read did, undefined if it
   * did not within `maxLag`.
   */
  readonly lag: number | undefined;
  /** Whether the list shows the payment with its quote. */
  readonly isListedWithQuote: boolean;
}

/** How long the list may lag, in seconds. */
export const maxLag = 60;

/** The number of requests with which the run can create payments: each is sent once. */
export const maxPayments = ({ quotes }: Writes): number => 3 + quotes.length;

/** Returns the facts, or the reason why they are missing. */
export function paymentFacts(session: Session): Promise<PaymentFacts | string> {
  return session.share('payments of this run', async () => {
    const { payment, quotes = [] } = session.settings.writes ?? {};
    const [quote, secondQuote] = quotes;
    if (payment === undefined || quote === undefined) return 'needs --payment, --quote and --document';
    return new PaymentTrial(session, payment).run(quote, secondQuote);
  });
}

/** Creates payments, each once. */
class PaymentTrial {
  readonly #session: Session;
  readonly #template: PaymentTemplate;
  readonly #reference = `corridor-verify-${randomUUID()}`;

  constructor(session: Session, template: PaymentTemplate) {
    this.#session = session;
    this.#template = template;
  }

  async run(quote: string, secondQuote: string | undefined): Promise<PaymentFacts | string> {
    const order = { ...this.#template, paymentQuoteId: quote, internalReference: this.#reference };
    const lower = lowerAmount(order.amount);
    let accepted = { ...order, amount: lower ?? order.amount };
    let sentAt = this.#session.now();
    const other = lower === undefined ? undefined : await this.#session.pay(accepted, 'valid');
    let reply = other;
    // An accepted payment uses the quote, so it is also the one that is repeated.
    if (reply === undefined || !isSuccess(reply)) {
      accepted = order;
      sentAt = this.#session.now();
      reply = await this.#session.pay(order, 'valid');
    }
    if (!isSuccess(reply)) return `the platform rejected the payment: ${describeResponse(reply)}`;
    if (other !== undefined) this.#session.noteError('quote_mismatch', other);
    const payment = fieldsOf(reply.body);
    const { id, createdAt } = payment;
    // Without an id, it is neither found in the list nor told apart from its repetition.
    if (typeof id !== 'string') return `the accepted payment has no id: ${describeResponse(reply)}`;
    const listed = await this.#waitUntilListed(id, timeOf(createdAt), sentAt);
    const repeated = await this.#repeat(accepted, id, secondQuote);
    return {
      payment,
      reply,
      freeAmount: other === undefined ? undefined : [isSuccess(other), other],
      ...repeated,
      lag: listed?.lag,
      isListedWithQuote: listed?.quote === quote,
    };
  }

  /** Sends the payment again, then with another reference, then with another quote, until it is clear what counts. */
  async #repeat(
    order: PaymentTemplate,
    id: string,
    secondQuote: string | undefined,
  ): Promise<Pick<PaymentFacts, 'idempotency' | 'quotes' | 'repeats'>> {
    const isNew = (reply: ReceivedResponse): boolean => isSuccess(reply) && fieldsOf(reply.body)['id'] !== id;
    const same = await this.#session.pay(order, 'valid');
    if (isNew(same)) return { idempotency: 'none', quotes: 'reusable', repeats: [same] };
    const otherReference = await this.#session.pay({ ...order, internalReference: `${this.#reference}-2` }, 'valid');
    const quotes = isNew(otherReference) ? 'reusable' : 'single-use';
    const repeats = [same, otherReference];
    if (!isSuccess(same)) {
      this.#session.noteError('quote_used', same);
      return { idempotency: 'none', quotes, repeats };
    }
    if (isSuccess(otherReference))
      return { idempotency: isNew(otherReference) ? 'by-reference' : 'by-quote', quotes, repeats };
    if (secondQuote === undefined) return { idempotency: 'by an unknown field', quotes, repeats };
    const otherQuote = await this.#session.pay({ ...order, paymentQuoteId: secondQuote }, 'valid');
    return {
      idempotency: isNew(otherQuote) ? 'by-quote' : 'by-reference',
      quotes,
      repeats: [...repeats, otherQuote],
    };
  }

  async #waitUntilListed(
    id: string,
    createdAt: number | undefined,
    sentAt: number,
  ): Promise<{ readonly lag: number; readonly quote: unknown } | undefined> {
    const { corridor, signal, sleep } = this.#session;
    for (let lag = 0; lag <= maxLag; lag = this.#secondsSince(sentAt)) {
      const found = await corridor.payments.find(
        { id, ...(createdAt !== undefined && { createdFrom: new Date(createdAt - 60_000) }) },
        { signal },
      );
      if (found !== undefined) return { lag: lag === 0 ? 0 : this.#secondsSince(sentAt), quote: found.paymentQuoteId };
      await sleep(1000);
    }
    return undefined;
  }

  #secondsSince(start: number): number {
    return Math.ceil((this.#session.now() - start) / 1000);
  }
}

/** Returns an amount one unit of its last digit lower; undefined if it would be zero. */
function lowerAmount(amount: string): string | undefined {
  const [, digits = ''] = [amount, amount.replaceAll(/\D/g, '')];
  const lower = BigInt(digits === '' ? 0 : digits) - 1n;
  if (lower <= 0n) return undefined;
  const padded = [...lower.toString().padStart(digits.length, '0')];
  return amount.replaceAll(/\d/g, () => padded.shift() ?? '0').replace(/^0+(?=\d)/, '');
}
