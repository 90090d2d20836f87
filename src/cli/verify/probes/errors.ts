import { exchangeProbes, observeErrorStatuses } from '../../../mock/upstream/probes.js';
import { describeResponse, isSuccess, type ObservedResponse } from '../../../mock/upstream/observed-exchange.js';
import type { Probe } from '../probe.js';
import { PaymentsStoppedError, type Session } from '../session.js';
import { dryRun, hasSameReason, unknownId } from './payments.js';

const unknownCustomer = (session: Session): Promise<ObservedResponse> =>
  session.share('unknown customer', () => session.callWithId('customers.get', unknownId));

const assumedRejections = [400, 401, 403, 404, 422, 429];

/** Sends requests with errors that no other probe sends. */
async function provokeErrors(session: Session): Promise<void> {
  const list = (query: Readonly<Record<string, string>>): Promise<ObservedResponse> =>
    session.call('payments.list', query);
  session.noteError('invalid_query', await list({ [session.filterName('status')]: 'CORRIDOR_VERIFY' }));
  session.noteError('invalid_cursor', await list({ [session.filterName('cursor')]: 'corridor-verify' }));
  session.noteError('not_found', await unknownCustomer(session));
  session.noteError('unknown_endpoint', await session.get('/api/v1/corridor-verify'));
  if (session.writes === undefined) return;
  session.noteError('invalid_body', await dryRun(session, { amount: 'x' }));
  session.noteError('customer_not_found', await dryRun(session));
}

/** The probes of errors. */
export const errorProbes: readonly Probe[] = [
  {
    ...exchangeProbes.errorBody,
    async observe(session) {
      const reply = await unknownCustomer(session);
      const evidence = `customers.get with an unknown id: ${describeResponse(reply)}`;
      if (isSuccess(reply))
        return {
          value: 'none',
          evidence,
          meaning: 'An unknown id is no error: check the id of each record that you get.',
        };
      return exchangeProbes.errorBody.look({ ...reply, about: 'customers.get with an unknown id' });
    },
  },
  {
    key: 'A-15: which error responses to a POST mean that it was not processed',
    needs: 'writes',
    assumed: 'as assumed',
    setting: 'dialect.rejectedStatuses',
    meaning:
      'The client treats these as payments that may exist, and searches for them. ' +
      'Pass this dialect if the platform confirms that they do not.',
    async observe(session) {
      try {
        const responses = [await dryRun(session), await dryRun(session, { amount: 'x' })];
        const others = responses.map(({ status }) => status).filter((status) => !assumedRejections.includes(status));
        return {
          value: others.length === 0 ? 'as assumed' : [...new Set([...assumedRejections, ...others])],
          evidence: `invalid payments: ${responses.map(describeResponse).join('; ')}`,
        };
      } catch (error) {
        if (!(error instanceof PaymentsStoppedError) || error.accepted === undefined) throw error;
        return {
          value: 'accepted',
          evidence: error.message,
          meaning: 'Report it, and look for the payment. Do not pass --allow-writes for this platform.',
        };
      }
    },
  },
  {
    key: 'A-35: whether unknown fields and query parameters are rejected',
    assumed: 'reject',
    setting: 'behavior.unknownFields',
    meaning:
      'A mistyped name has no effect instead of an error. The client ' +
      'rejects unknown names itself; corridor.request does not.',
    async observe(session) {
      const query = await session.call('payments.list', { corridorVerify: 1 });
      const isIgnored = [isSuccess(query)];
      const evidence = [`an unknown query parameter: ${describeResponse(query)}`];
      if (session.writes !== undefined) {
        const unknown = await dryRun(session, { corridorVerify: 1 });
        isIgnored.push(hasSameReason(await dryRun(session), unknown));
        evidence.push(`an unknown field: ${describeResponse(unknown)}`);
      }
      const value = !isIgnored.includes(true) ? 'reject' : isIgnored.includes(false) ? 'ignore some' : 'ignore';
      return { value, evidence: evidence.join('; ') };
    },
  },
];

/** The probe that comes last: it uses the responses of all others. */
export const statusProbe: Probe = {
  ...exchangeProbes.errorStatuses,
  async observe(session) {
    await provokeErrors(session);
    return observeErrorStatuses(session.errors);
  },
};
