import { describeType } from '../../../contract/validate.js';
import { customerTransitions } from '../../../mock/index.js';
import {
  InvalidResponseError,
  NotFoundError,
  paymentStatuses,
  type ApiPromise,
  type Corridor,
  type DownloadUrl,
  type Drift,
  type PaymentStatus,
  type RequestOptions,
} from '../../../index.js';
import type { NotObserved, Observation, Probe } from '../probe.js';
import { activity, beneficiaries, customers, paymentPage, payments, screening } from '../samples.js';
import { dateOf, fieldsOf, identifier, requestOf, timeOf, type Fields, type Session } from '../session.js';

/** Returns the payments, customers and beneficiaries of the samples. */
const allRecords = async (session: Session): Promise<readonly Fields[]> => [
  ...(await payments(session)),
  ...(await customers(session)),
  ...(await beneficiaries(session)),
];

/** Observes the differences to the contract in some fields; those of the given kinds are as assumed. */
function byDrift(
  session: Session,
  count: number,
  path: RegExp,
  assumed: readonly Drift['kind'][],
): Observation | NotObserved {
  if (count === 0) return 'the sample has no such records';
  const found = session.drift.filter((drift) => path.test(`${drift.endpoint} ${drift.path}`));
  const others = found.filter(({ kind }) => !assumed.includes(kind));
  const kinds = [...new Set(found.map(({ kind }) => kind))]
    .map((kind) => `${found.filter((drift) => drift.kind === kind).length} ${kind}`)
    .join(', ');
  const evidence = `${count} records${kinds === '' ? ', all fields as in the contract' : `, differences: ${kinds}`}`;
  if (others.length === 0) return { value: 'as assumed', evidence };
  const fields = new Set(others.map((drift) => identifier(drift.path.replaceAll(/\[\d+\]/g, ''))));
  return { value: 'different', evidence: `${evidence}; fields: ${[...fields].slice(0, 5).join(', ')}` };
}

/** What probes of fields conclude from differences to the contract. */
const fieldsAsAssumed = {
  assumed: 'as assumed',
  meaning: 'Read these fields as unknown, and report them to the platform. onDrift reports each in production.',
  isSample: true,
} as const;

/** Returns the shape of a timestamp, without its value; of a value that is no string, its type. */
const shapeOf = (time: unknown): string =>
  typeof time === 'string'
    ? time
        .replaceAll(/\d/g, '9')
        .replaceAll(/[^9TZ:.,+/ -]/g, 'x')
        .slice(0, 40)
    : describeType(time);

const hasReceipt = ({ receiptUrl }: Fields): boolean => typeof receiptUrl === 'string' && URL.canParse(receiptUrl);
const receiptStatuses: readonly PaymentStatus[] = ['COMPLETED', 'RETURNED'];

/** A body with a signed URL, and when it was requested, by the clock of the platform. */
interface SignedUrl {
  readonly endpoint: 'documents.downloadUrl' | 'support.attachmentUrl';
  /** Undefined if the body has not exactly one URL. */
  readonly url: string | undefined;
  readonly body: unknown;
  readonly at: number | undefined;
  readonly requestId: string | undefined;
}

/** Requests the URL of a document of a listed payment, and of the attachment of --attachment. No file is downloaded. */
function signedUrls(session: Session): Promise<readonly SignedUrl[]> {
  return session.share('signed URLs', async () => {
    const found: SignedUrl[] = [];
    const request = async (
      endpoint: SignedUrl['endpoint'],
      call: (corridor: Corridor, options: RequestOptions) => ApiPromise<DownloadUrl>,
    ): Promise<void> => {
      try {
        const { url, body } = await session.read(endpoint, call);
        const { headers, requestId } = session.successes.get(endpoint) ?? {};
        found.push({ endpoint, url, body, at: dateOf(headers), requestId });
      } catch (error) {
        if (error instanceof NotFoundError) return;
        if (!(error instanceof InvalidResponseError)) throw error;
        found.push({ endpoint, url: undefined, body: error.body, at: undefined, requestId: error.requestId });
      }
    };
    const [document] = (await payments(session)).flatMap(({ authorization }) => {
      const { documents } = fieldsOf(authorization);
      const { id } = fieldsOf(Array.isArray(documents) ? documents[0] : undefined);
      return typeof id === 'string' && id !== '' ? [id] : [];
    });
    if (document !== undefined)
      await request('documents.downloadUrl', (corridor, options) => corridor.documents.downloadUrl(document, options));
    const { attachment } = session.settings;
    if (attachment !== undefined)
      await request('support.attachmentUrl', (corridor, options) =>
        corridor.support.attachmentUrl(...attachment, options),
      );
    return found;
  });
}

const noUrl = {
  reason: 'no listed payment names a document that exists, and there is no --attachment',
  flag: 'attachment',
} as const;

/** The query parameters with which well-known stores say for how many seconds a URL is valid. */
const lifetimeParameters = ['X-Amz-Expires', 'X-Goog-Expires'];
/** Those that contain the time at which it expires, in seconds or milliseconds since the epoch or as ISO 8601. */
const expiryParameters = ['Expires', 'expires', 'se', 'exp'];

/**
 * Returns for how many seconds a URL is valid, by its parameters or the other fields of the body; undefined if neither
 * shows it. `at` is the time of the response in milliseconds.
 */
function lifetimeOf(url: string, at: number, body?: unknown): number | undefined {
  const { searchParams } = new URL(url);
  const [lifetime] = lifetimeParameters.flatMap((name) => searchParams.get(name) ?? []);
  if (lifetime !== undefined) return Number(lifetime);
  const times = [
    ...Object.values(fieldsOf(body)).map(timeOf),
    ...expiryParameters.map((name) => expiryOf(searchParams.get(name) ?? '')),
  ];
  const expiry = times.find((time) => time !== undefined && time > at);
  if (expiry === undefined) return undefined;
  // The Date header has whole seconds, and is not of the very moment at which the URL was signed.
  const seconds = Math.floor((expiry - at) / 1000);
  const usual = Math.round(seconds / 5) * 5;
  return Math.abs(seconds - usual) <= 1 ? usual : seconds;
}

function expiryOf(text: string): number | undefined {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  return /^\d{13}$/.test(text) ? Number(text) : timeOf(text);
}

/** The probes of the fields of records, and of the URLs in them. */
export const recordProbes: readonly Probe[] = [
  {
    row: 'A-13',
    question: 'whether responses carry a request id',
    assumed: true,
    meaning: 'Pass this dialect to the client: without it, errors and logs have no request id.',
    async observe(session) {
      const { requestId, headers } = await session.call('payments.list');
      if (requestId !== undefined)
        return {
          value: true,
          evidence: requestOf(requestId).join(),
          measured: { 'dialect.requestIdHeaders': undefined },
        };
      const header = [...headers.keys()].find((name) =>
        /(?:request|correlation|trace|transaction|operation).?id$|^(?:traceparent|x-trace|cf-ray)$/i.test(name),
      );
      if (header === undefined)
        return {
          value: false,
          evidence: 'no header looks like a request id',
          meaning: 'Ask the platform which header has the id: support needs it.',
          measured: { 'dialect.requestIdHeaders': undefined },
        };
      session.useDialect({ requestIdHeaders: [header] });
      return {
        value: header,
        evidence: `the header ${identifier(header)}`,
        measured: { 'dialect.requestIdHeaders': [header] },
      };
    },
  },
  {
    row: 'A-7',
    question: 'the format of timestamps',
    assumed: '9999-99-99T99:99:99.999Z',
    async observe(session) {
      const times = (await allRecords(session)).flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt]);
      if (times.length === 0) return 'no list has records';
      const shapes = [...new Set(times.map(shapeOf))];
      return {
        value: shapes.join(', '),
        evidence: `${times.length} timestamps: ${shapes.slice(0, 3).join(', ')}`,
        meaning: times.every((time) => timeOf(time) !== undefined)
          ? 'The client compares them as ISO 8601. Compare them as times, not as strings.'
          : 'The client cannot parse them all: payments.changes and payments.export cannot work. Report it to the platform.',
      };
    },
  },
  {
    row: 'A-8',
    question: 'whether fields of `authorization` and of activity entries may be null or absent',
    ...fieldsAsAssumed,
    async observe(session) {
      const [sample, logs] = [await payments(session), await activity(session)];
      return byDrift(
        session,
        sample.length + logs.flat().length,
        /^payments\.list .*authorization|^customers\.activity /,
        ['unexpected-null', 'missing-field', 'unknown-field'],
      );
    },
  },
  {
    row: 'A-22',
    question: 'the content of a string field without a value',
    ...fieldsAsAssumed,
    async observe(session) {
      const records = await allRecords(session);
      const seen = byDrift(session, records.length, /^(?:payments\.list|customers\.\w+) (?!.*authorization)/, [
        'unexpected-null',
        'unknown-field',
        'unknown-value',
        'truncated',
      ]);
      const empty = records.flatMap((record) => Object.values(record)).filter((value) => value === '').length;
      return typeof seen === 'object' && 'evidence' in seen
        ? { ...seen, evidence: `${seen.evidence}, ${empty} empty strings` }
        : seen;
    },
  },
  {
    row: 'A-25',
    question: "the values of `status` of a payment's `customer` and `beneficiary`",
    ...fieldsAsAssumed,
    async observe(session) {
      const { length } = await payments(session);
      return byDrift(session, length, /^payments\.list .*(?:customer|beneficiary)\.status$/, []);
    },
  },
  {
    row: 'A-24',
    question: 'the `disposition` of an open match without a decision',
    needs: ['person'],
    ...fieldsAsAssumed,
    async observe(session) {
      const { openMatches } = (await screening(session)) ?? {};
      const count = Array.isArray(openMatches) ? openMatches.length : 0;
      return byDrift(session, count, /^screening\.get openMatches.*disposition/, ['missing-field']);
    },
  },
  {
    row: 'A-30',
    question: 'the currency of `principal` and `approvedCharge`',
    assumed: true,
    meaning: 'principal and approvedCharge may be in the source currency. Do not compare them with amount.',
    isSample: true,
    async observe(session) {
      const converted = (await payments(session))
        .map((payment) => ({ ...payment, ...fieldsOf(payment['authorization']), amount: payment['amount'] }) as Fields)
        .filter(
          ({ currencyCode, sourceCurrency }) => typeof sourceCurrency === 'string' && sourceCurrency !== currencyCode,
        );
      if (converted.length === 0) return 'needs a payment in another currency than its source';
      const equal = converted.filter(({ amount, principal }) => Number(amount) === Number(principal)).length;
      return {
        value: equal === converted.length,
        evidence: `principal equals amount in ${equal} of ${converted.length} payments in another currency than their source`,
      };
    },
  },
  {
    row: 'A-10',
    question: 'the allowed transitions',
    setting: 'behavior.transitions.customers',
    meaning: 'The client accepts any transition. Your tests need these too.',
    isSample: true,
    async observe(session) {
      const changes = (await activity(session)).flat().filter(({ eventType }) => eventType === 'STATUS_CHANGE');
      if (changes.length === 0) return 'no customer has a change of status in its activity';
      const known: Readonly<Record<string, readonly string[]>> = customerTransitions;
      const isStatus = (status: unknown): status is string =>
        typeof status === 'string' && Object.hasOwn(known, status);
      const added: Record<string, readonly string[]> = {};
      for (const { fromStatus: from, toStatus: to } of changes) {
        if (!isStatus(from) || !isStatus(to)) continue;
        const allowed = added[from] ?? known[from] ?? [];
        if (!allowed.includes(to)) added[from] = [...allowed, to];
      }
      const evidence = `${changes.length} changes of customers`;
      return Object.keys(added).length === 0
        ? `${evidence} are as assumed, but a transition that never happened can be allowed; payments and beneficiaries have no activity`
        : { value: added, evidence: `other transitions of ${Object.keys(added).join(', ')}, among ${evidence}` };
    },
  },
  {
    row: 'A-4',
    question: 'the response bodies of `support.attachmentUrl` and `documents.downloadUrl`',
    assumed: true,
    meaning: 'documents.download and support.downloadAttachment throw. Take the URL from body of the error.',
    async observe(session) {
      const urls = await signedUrls(session);
      if (urls.length === 0) return noUrl;
      const isOne = urls.every(({ url }) => url !== undefined);
      const bodies = urls.map(({ endpoint, body, requestId }) => {
        const names = Object.keys(fieldsOf(body)).map(identifier).slice(0, 5);
        return [endpoint, `fields ${names.join(', ')}`, ...requestOf(requestId)].join(', ');
      });
      return { value: isOne, evidence: `${isOne ? '' : 'not exactly one URL: '}${bodies.join('; ')}` };
    },
  },
  {
    row: 'A-27',
    question: 'how long a signed URL is valid',
    assumed: 300,
    setting: 'behavior.urlLifetime',
    meaning: 'The client uses a URL at once. Do not store one for longer.',
    async observe(session) {
      const urls = await signedUrls(session);
      if (urls.length === 0) return noUrl;
      const [seconds] = urls.flatMap(({ url, at, body }) =>
        url === undefined || at === undefined ? [] : (lifetimeOf(url, at, body) ?? []),
      );
      const requests = urls.flatMap(({ requestId }) => requestOf(requestId)).join(', ');
      return seconds !== undefined && seconds > 0
        ? { value: seconds, evidence: `${seconds} s: ${requests}` }
        : `the response shows no expiry: ${requests}`;
    },
  },
  {
    row: 'A-37',
    question: 'when a payment has a `receiptUrl`',
    assumed: 'as assumed',
    meaning: 'Check receiptUrl for null instead of the status.',
    isSample: true,
    async observe(session) {
      const sample = await payments(session);
      const having = (status: PaymentStatus): readonly Fields[] =>
        sample.filter((payment) => payment['status'] === status);
      const seen = paymentStatuses.filter((status) => having(status).length > 0);
      if (!seen.some((status) => receiptStatuses.includes(status)))
        return `needs a payment that is ${receiptStatuses.join(' or ')}`;
      const withReceipt = seen.filter((status) => having(status).some(hasReceipt));
      const evidence = `of ${sample.length} payments in ${seen.length} statuses, those with a receipt are ${withReceipt.join(', ') || 'in no status'}`;
      if (seen.every((status) => withReceipt.includes(status) === receiptStatuses.includes(status))) {
        // A status that no payment has can have a receipt, as in an earlier run.
        const measured = seen.length < paymentStatuses.length ? {} : { 'behavior.receiptStatuses': undefined };
        return { value: 'as assumed', evidence, measured };
      }
      const found = [
        ...receiptStatuses.filter((status) => !seen.includes(status) || withReceipt.includes(status)),
        ...withReceipt.filter((status) => !receiptStatuses.includes(status)),
      ];
      return { value: found, evidence, measured: { 'behavior.receiptStatuses': found } };
    },
  },
  {
    row: 'A-37',
    question: 'how long it is valid',
    setting: 'behavior.receiptLifetime',
    meaning: 'Do not store receiptUrl: list the payment again when you need it.',
    async observe(session) {
      const urls = (await payments(session)).filter(hasReceipt).map(({ receiptUrl }) => String(receiptUrl));
      const { headers, requestId } = await paymentPage(session);
      const at = dateOf(headers);
      const [seconds] = at === undefined ? [] : urls.flatMap((url) => lifetimeOf(url, at) ?? []);
      return seconds === undefined
        ? `${urls.length} receipts, whose URLs show no expiry`
        : { value: seconds, evidence: `${seconds} s: ${requestOf(requestId).join()}` };
    },
  },
];
