import { describeResponse, isSuccess } from '../../../mock/upstream/observed-exchange.js';
import { exchangeProbes, observeErrorStatuses } from '../../../mock/upstream/probes.js';
import type { Probe } from '../probe.js';
import { rejections } from '../session.js';
import { dryRun, hasSameReason, unknownId } from './payments.js';

const assumedRejections = [400, 401, 403, 404, 422, 429];

/** The probes of errors. */
export const errorProbes: readonly Probe[] = [
  {
    questions: [exchangeProbes.errorBody],
    async run(session) {
      const response = await session.call('customers.get', {}, unknownId);
      session.noteError('not_found', response);
      // This one, because those of writes can differ.
      if (!isSuccess(response)) return exchangeProbes.errorBody.look(response);
      return {
        value: 'none',
        evidence: `customers.get with an unknown id: ${describeResponse(response)}`,
        meaning: 'An unknown id is no error: check the id of each record that you get.',
      };
    },
  },
  {
    questions: [rejections],
    needs: 'writes',
    async run(session) {
      const responses = [await dryRun(session), await dryRun(session, { amount: 'x' })];
      const others = responses.map(({ status }) => status).filter((status) => !assumedRejections.includes(status));
      return {
        value: others.length === 0 ? 'as assumed' : [...new Set([...assumedRejections, ...others])],
        evidence: `invalid payments: ${responses.map(describeResponse).join('; ')}`,
      };
    },
  },
  {
    questions: [
      {
        key: 'A-35: whether unknown fields and query parameters are rejected',
        assumed: 'reject',
        setting: 'behavior.unknownFields',
        meaning:
          'A mistyped name has no effect instead of an error. The client ' +
          'rejects unknown names itself; corridor.request does not.',
      },
    ],
    async run(session) {
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

/** The probe that comes last: it uses the errors of all others, and causes those that are missing. */
export const statusProbe: Probe = {
  questions: [exchangeProbes.errorStatuses],
  async run(session) {
    const list = async (code: 'invalid_query' | 'invalid_cursor', filter: 'status' | 'cursor'): Promise<void> =>
      session.noteError(code, await session.call('payments.list', { [session.filterName(filter)]: 'CORRIDOR_VERIFY' }));
    await list('invalid_query', 'status');
    await list('invalid_cursor', 'cursor');
    session.noteError('unknown_endpoint', await session.call('/api/v1/corridor-verify'));
    if (session.writes !== undefined) {
      session.noteError('invalid_body', await dryRun(session, { amount: 'x' }));
      session.noteError('customer_not_found', await dryRun(session));
    }
    return observeErrorStatuses(session.errors);
  },
};
