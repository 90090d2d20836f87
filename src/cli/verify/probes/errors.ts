import { createMockPlatform, type MeasuredBehavior } from '../../../mock/index.js';
import type { Probe } from '../probe.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  PaymentsStoppedError,
  type ReceivedResponse,
  type Session,
} from '../session.js';
import { dryRun, hasSameReason, unknownId } from './payments.js';

const unknownCustomer = (session: Session): Promise<ReceivedResponse> =>
  session.share('unknown customer', () => session.callWithId('customers.get', unknownId));

/** Returns the known shape of an error body. */
function shapeOf({ body, headers }: ReceivedResponse): MeasuredBehavior['errorBody'] {
  const { code, message, error, statusCode, detail, title } = fieldsOf(body);
  const isText = (value: unknown): boolean => typeof value === 'string';
  if (/problem\+json/i.test(headers.get('content-type') ?? '') && (isText(detail) || isText(title)))
    return 'problem+json';
  if (isText(fieldsOf(error)['message'])) return 'nested';
  if (typeof statusCode === 'number' && isText(message)) return 'status-code';
  return isText(code) && isText(message) ? 'plain' : undefined;
}

const assumedRejections = [400, 401, 403, 404, 422, 429];

/** Sends requests with errors that no other probe sends. */
async function provokeErrors(session: Session): Promise<void> {
  const list = (query: Readonly<Record<string, string>>): Promise<ReceivedResponse> =>
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
    key: 'A-6: the shape and codes of errors',
    assumed: 'plain',
    setting: 'behavior.errorBody',
    async observe(session) {
      const reply = await unknownCustomer(session);
      const evidence = `customers.get with an unknown id: ${describeResponse(reply)}`;
      if (isSuccess(reply))
        return {
          value: 'none',
          evidence,
          meaning: 'An unknown id is no error: check the id of each record that you get.',
        };
      const value = shapeOf(reply);
      return value === undefined
        ? {
            value,
            evidence: `the body has none of the known shapes: ${evidence}`,
            meaning: 'platformCode of errors is undefined. Read body of the error instead.',
          }
        : {
            value,
            evidence: `${value === 'plain' ? '{ code, message }' : value}: ${evidence}`,
            meaning: 'The client reads this shape. Your tests should see it too.',
          };
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
  key: 'A-36: the statuses of errors',
  assumed: 'as assumed',
  meaning:
    'The client decides by the status whether a payment can exist (A-15). Your tests should see the same statuses.',
  isSample: true,
  async observe(session) {
    await provokeErrors(session);
    const assumptions = createMockPlatform().assumptions();
    const defaults = fieldsOf(assumptions.find(({ option }) => option === 'errorStatuses')?.value);
    const seen = [...session.errors].map(([code, { status }]) => ({
      code,
      status,
      isOther: status !== defaults[code],
    }));
    const others = seen.flatMap(({ code, isOther }) => (isOther ? code : []));
    const evidence = `${seen.length} errors: ${seen.map(({ code, status }) => `${code} ${status}`).join(', ')}`;
    return {
      value: others.length === 0 ? 'as assumed' : 'different',
      evidence: others.length === 0 ? evidence : `different: ${others.join(', ')}, of ${evidence}`,
      measured: Object.fromEntries(
        seen.map(({ code, status, isOther }) => [`behavior.errorStatuses.${code}`, isOther ? status : undefined]),
      ),
    };
  },
};
