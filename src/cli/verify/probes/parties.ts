import { confirmed, contradicted, notTestable, type Probe } from '../probe.js';
import { dryRun, reasonOf } from '../dry-run.js';
import { beneficiaries, customers, screening } from '../samples.js';
import { describeResponse, fieldsOf, itemsOf, type Fields, type ReceivedResponse, type Session } from '../session.js';

/** Records of customers, and the responses to payments that are rejected only for their quote or their beneficiary. */
interface Parties {
  readonly customers: readonly Fields[];
  readonly beneficiaries: readonly Fields[];
  /** An approved customer, and an approved beneficiary of it. */
  readonly customerId: unknown;
  readonly beneficiaryId: unknown;
  readonly withCustomer: ReceivedResponse;
  readonly withBoth: ReceivedResponse;
}

const isApproved = ({ status }: Fields): boolean => status === 'APPROVED';

/**
 * Sends payments with quotes that do not exist. Returns the reason if the platform does not check customer, beneficiary
 * and quote in this order: then its errors do not show which of them it checks.
 */
function partiesOf(session: Session): Promise<Parties | string> {
  return session.share('parties', async () => {
    const [allCustomers, allBeneficiaries] = [await customers(session), await beneficiaries(session)];
    const beneficiary = allBeneficiaries.find(
      (each) =>
        isApproved(each) &&
        allCustomers.some((customer) => customer['id'] === each['customerId'] && isApproved(customer)),
    );
    if (beneficiary === undefined) return 'needs an approved customer with an approved beneficiary';
    const { customerId, id: beneficiaryId } = beneficiary;
    const withNeither = await dryRun(session);
    const withCustomer = await dryRun(session, { customerId });
    const withBoth = await dryRun(session, { customerId, beneficiaryId });
    const responses = [withNeither, withCustomer, withBoth];
    if (new Set(responses.map(reasonOf)).size < responses.length)
      return `the errors do not show what the platform checks: ${responses.map(describeResponse).join('; ')}`;
    session.noteError('beneficiary_not_found', withCustomer);
    session.noteError('quote_not_found', withBoth);
    return {
      customers: allCustomers,
      beneficiaries: allBeneficiaries,
      customerId,
      beneficiaryId,
      withCustomer,
      withBoth,
    };
  });
}

const approval: Probe = {
  row: 'A-32',
  question: 'whether the customer and the beneficiary of a payment must be approved',
  needs: ['writes'],
  settings: ['behavior.parties'],
  async run(session) {
    const parties = await partiesOf(session);
    if (typeof parties === 'string') return notTestable(parties);
    const { customerId, withCustomer, withBoth } = parties;
    const customer = parties.customers.find((each) => !isApproved(each));
    const beneficiary = parties.beneficiaries.find((each) => each['customerId'] === customerId && !isApproved(each));
    if (customer === undefined && beneficiary === undefined)
      return notTestable('needs a customer, or a beneficiary of an approved customer, that is not approved');
    const tested: (readonly [string, ReceivedResponse, ReceivedResponse])[] = [];
    if (customer !== undefined)
      tested.push(['customer', await dryRun(session, { customerId: customer['id'] }), withCustomer]);
    if (beneficiary !== undefined)
      tested.push(['beneficiary', await dryRun(session, { customerId, beneficiaryId: beneficiary['id'] }), withBoth]);
    const isRejected = tested.map(([, response, usual]) => reasonOf(response) !== reasonOf(usual));
    for (const [index, [name, response]] of tested.entries())
      if (isRejected[index] === true)
        session.noteError(name === 'customer' ? 'customer_not_approved' : 'beneficiary_not_approved', response);
    const evidence = tested
      .map(([name, response]) => `${name} that is not approved: ${describeResponse(response)}`)
      .join('; ');
    if (!isRejected.includes(false)) return confirmed(evidence);
    return contradicted(
      evidence,
      'The status is not checked, or only after the quote. payments.preflight reports such parties, and you may ignore it.',
      isRejected.includes(true) ? undefined : { behavior: { parties: 'any' } },
    );
  },
};

const ownership: Probe = {
  row: 'A-33',
  question: 'whether the beneficiary, the quote and the documents of a payment must belong to its customer',
  needs: ['writes'],
  settings: ['behavior.ownership'],
  async run(session) {
    const parties = await partiesOf(session);
    if (typeof parties === 'string') return notTestable(parties);
    const { customerId, withBoth } = parties;
    const foreign = parties.beneficiaries.find((each) => isApproved(each) && each['customerId'] !== customerId);
    if (foreign === undefined) return notTestable('needs approved beneficiaries of two customers');
    const response = await dryRun(session, { customerId, beneficiaryId: foreign['id'] });
    const evidence = `a beneficiary of another customer: ${describeResponse(response)}`;
    if (reasonOf(response) !== reasonOf(withBoth)) return confirmed(evidence);
    return contradicted(
      evidence,
      'A payment can go to a beneficiary of another customer. Compare customerId of the beneficiary yourself.',
      { behavior: { ownership: 'organization' } },
    );
  },
};

const hold: Probe = {
  row: 'A-34',
  question: 'whether the payment hold of a person affects payments of the customer',
  needs: ['writes'],
  settings: ['behavior.paymentHold'],
  async run(session) {
    const { paymentHold } = fieldsOf((await screening(session))?.['subject']);
    const [customerId = ''] = session.settings.person ?? [];
    if (paymentHold !== true) return notTestable('needs --person with a person who has a payment hold');
    const parties = await partiesOf(session);
    if (typeof parties === 'string') return notTestable(parties);
    const customer = await session.read('customers.get', (corridor, options) =>
      corridor.customers.get(customerId, options),
    );
    const page = await session.read('customers.beneficiaries', (corridor, options) =>
      corridor.customers.beneficiaries(customerId, { status: 'APPROVED' }, options),
    );
    const beneficiaryId = itemsOf(page)[0]?.['id'];
    if (customer.status !== 'APPROVED' || beneficiaryId === undefined)
      return notTestable('the customer of --person must be approved and have an approved beneficiary');
    const response = await dryRun(session, { customerId, beneficiaryId });
    const evidence = `a payment of a customer with a hold: ${describeResponse(response)}`;
    if (reasonOf(response) === reasonOf(parties.withBoth))
      return notTestable(`creates are not rejected, and no endpoint shows whether reviews wait; ${evidence}`);
    session.noteError('payment_held', response);
    return contradicted(
      evidence,
      'Creates are rejected while a person has a hold. Read screening before you create a payment.',
      { behavior: { paymentHold: 'reject' } },
    );
  },
};

/** The probes of customers and beneficiaries of payments. */
export const partyProbes: readonly Probe[] = [approval, ownership, hold];
