import { createHash } from 'node:crypto';
import { createMockPlatform, type ErrorStatuses, type MeasuredBehavior } from '../../../mock/index.js';
import { confirmed, contradicted, type Probe } from '../probe.js';
import { dryRun, reasonOf, unknownId } from '../dry-run.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  PaymentsStoppedError,
  type CallInput,
  type ReceivedResponse,
  type Session,
} from '../session.js';

type ErrorBody = NonNullable<MeasuredBehavior['errorBody']>;

const unknownCustomer = (session: Session): Promise<ReceivedResponse> =>
  session.share('unknown customer', () => session.call('customers.get', { ids: { id: unknownId } }));

const errorShape: Probe = {
  row: 'A-6',
  question: 'the shape and codes of errors',
  settings: ['behavior.errorBody'],
  async run(session) {
    const reply = await unknownCustomer(session);
    const evidence = `customers.get with an unknown id: ${describeResponse(reply)}`;
    if (isSuccess(reply))
      return contradicted(evidence, 'An unknown id is no error: check the id of each record that you get.');
    const errorBody = shapeOf(reply);
    if (errorBody === 'plain') return confirmed(`{ code, message }: ${evidence}`);
    if (errorBody === undefined)
      return contradicted(
        `the body has none of the known shapes: ${evidence}`,
        'platformCode of errors is undefined. Read body of the error instead.',
      );
    return contradicted(`${errorBody}: ${evidence}`, 'The client reads this shape. Your tests should see it too.', {
      behavior: { errorBody },
    });
  },
};

function shapeOf({ body, headers }: ReceivedResponse): ErrorBody | undefined {
  const { code, message, error, statusCode, detail, title } = fieldsOf(body);
  const isText = (value: unknown): boolean => typeof value === 'string';
  if (/problem\+json/i.test(headers.get('content-type') ?? '') && (isText(detail) || isText(title)))
    return 'problem+json';
  if (isText(fieldsOf(error)['message'])) return 'nested';
  if (typeof statusCode === 'number' && isText(message)) return 'status-code';
  return isText(code) && isText(message) ? 'plain' : undefined;
}

const assumedRejections = [400, 401, 403, 404, 422, 429];

const rejections: Probe = {
  row: 'A-15',
  question: 'which error responses to a POST mean that it was not processed',
  needs: ['writes'],
  settings: ['dialect.rejectedStatuses'],
  async run(session) {
    let responses: readonly ReceivedResponse[];
    try {
      responses = [await dryRun(session), await dryRun(session, { amount: 'x' })];
    } catch (error) {
      if (!(error instanceof PaymentsStoppedError) || error.accepted === undefined) throw error;
      return contradicted(
        error.message,
        'Report it, and look for the payment. Do not pass --allow-writes for this platform.',
      );
    }
    const evidence = `invalid payments: ${responses.map(describeResponse).join('; ')}`;
    const others = [...new Set(responses.map(({ status }) => status))].filter(
      (status) => !assumedRejections.includes(status),
    );
    if (others.length === 0) return confirmed(evidence);
    return contradicted(
      evidence,
      'The client treats these as payments that may exist, and searches for them. Pass this dialect if the platform confirms that they do not.',
      { dialect: { rejectedStatuses: [...assumedRejections, ...others] } },
    );
  },
};

const unknownFields: Probe = {
  row: 'A-35',
  question: 'whether unknown fields and query parameters are rejected',
  settings: ['behavior.unknownFields'],
  async run(session) {
    const query = await session.call('payments.list', { query: { corridorVerify: 1 } });
    const isIgnored = [isSuccess(query)];
    const evidence = [`an unknown query parameter: ${describeResponse(query)}`];
    if (session.settings.permissions.has('writes')) {
      const [known, unknown] = [await dryRun(session), await dryRun(session, { corridorVerify: 1 })];
      isIgnored.push(reasonOf(known) === reasonOf(unknown));
      evidence.push(`an unknown field: ${describeResponse(unknown)}`);
    }
    if (!isIgnored.includes(true)) return confirmed(evidence.join('; '));
    return contradicted(
      evidence.join('; '),
      'A mistyped name has no effect instead of an error. The client rejects unknown names itself; corridor.request does not.',
      isIgnored.includes(false) ? undefined : { behavior: { unknownFields: 'ignore' } },
    );
  },
};

const statuses: Probe = {
  row: 'A-36',
  question: 'the statuses of errors',
  isSample: true,
  async run(session) {
    await provokeErrors(session);
    const defaults = createMockPlatform()
      .assumptions()
      .find(({ option }) => option === 'errorStatuses')?.value;
    const seen = [...session.errors].map(([code, { status }]) => [code, status] as const);
    const others = seen.filter(([code, status]) => status !== fieldsOf(defaults)[code]);
    const settings = seen.map(([code]) => `behavior.errorStatuses.${code}` as const);
    const evidence = `${seen.length} errors: ${seen.map(([code, status]) => `${code} ${status}`).join(', ')}`;
    if (others.length === 0) return { ...confirmed(evidence), settings };
    const conclusion = contradicted(
      `different: ${others.map(([code]) => code).join(', ')}, of ${evidence}`,
      'The client decides by the status whether a payment can exist (A-15). Your tests should see the same statuses.',
      { behavior: { errorStatuses: Object.fromEntries(others) as ErrorStatuses } },
    );
    return { ...conclusion, settings };
  },
};

/** Sends requests with errors that no other probe sends. */
async function provokeErrors(session: Session): Promise<void> {
  const { status = 'status', cursor = 'cursor' } = session.filterNames;
  const list = (query: NonNullable<CallInput['query']>): Promise<ReceivedResponse> =>
    session.call('payments.list', { query });
  session.noteError('invalid_query', await list({ [status]: 'CORRIDOR_VERIFY' }));
  session.noteError('invalid_cursor', await list({ [cursor]: 'corridor-verify' }));
  session.noteError('not_found', await unknownCustomer(session));
  session.noteError('unknown_endpoint', await session.send({ method: 'GET', path: '/api/v1/corridor-verify' }));
  if (!session.settings.permissions.has('writes')) return;
  session.noteError('invalid_body', await dryRun(session, { amount: 'x' }));
  session.noteError('customer_not_found', await dryRun(session));
  session.noteError('unsupported_media_type', await sendText(session, 'text/plain', '{}'));
  session.noteError('invalid_json', await sendText(session, 'application/json', '{'));
}

/** Sends a text instead of a payment. */
function sendText(session: Session, contentType: string, text: string): Promise<ReceivedResponse> {
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('content-type', contentType);
    headers.delete('content-length');
    return session.fetch(input, { ...init, headers, body: text });
  };
  const bodyHash = createHash('sha256').update(text).digest('hex');
  return session.pay({}, 'invalid', session.clientWith({ fetch, claims: () => ({ bodyHash }) }));
}

/** The probes of errors. */
export const errorProbes: readonly Probe[] = [errorShape, rejections, unknownFields];

/** The probe of statuses, which comes last: it uses the errors of all others. */
export const errorStatusProbe: Probe = statuses;
