import { findDownloadUrl } from '../../../contract/schema/download-url.js';
import { describeType } from '../../../contract/describe.js';
import type { Drift } from '../../../index.js';
import type { Observation, Probe } from '../probe.js';
import { activity, beneficiaries, customers, payments } from '../samples.js';
import {
  describeResponse,
  fieldsOf,
  identifier,
  isSuccess,
  requestOf,
  timeOf,
  type Fields,
  type Session,
} from '../session.js';

/** Returns the payments, customers and beneficiaries of the samples. */
const allRecords = async (session: Session): Promise<readonly Fields[]> => [
  ...(await payments(session)),
  ...(await customers(session)),
  ...(await beneficiaries(session)),
];

/** A probe of the differences to the contract in some fields, of which the given kinds are as assumed. */
const driftProbe = (
  key: string,
  records: (session: Session) => Promise<readonly Fields[]>,
  path: RegExp,
  assumed: readonly Drift['kind'][],
): Probe => ({
  key,
  assumed: 'as assumed',
  meaning: 'Read these fields as unknown, and report them to the platform. onDrift reports each in production.',
  isSample: true,
  async observe(session): Promise<Observation | string> {
    const { length: count } = await records(session);
    if (count === 0) return 'the sample has no such records';
    const found = session.drift.filter((drift) => path.test(`${drift.endpoint} ${drift.path}`));
    const kinds = [...new Set(found.map(({ kind }) => kind))]
      .map((kind) => `${found.filter((drift) => drift.kind === kind).length} ${kind}`)
      .join(', ');
    const evidence = `${count} records${kinds === '' ? ', all fields as in the contract' : `, differences: ${kinds}`}`;
    const others = found.filter(({ kind }) => !assumed.includes(kind));
    if (others.length === 0) return { value: 'as assumed', evidence };
    const fields = new Set(others.map((drift) => identifier(drift.path.replaceAll(/\[\d+\]/g, ''))));
    return { value: 'different', evidence: `${evidence}; fields: ${[...fields].slice(0, 5).join(', ')}` };
  },
});

/** Returns the shape of a timestamp, without its value; of a value that is no string, its type. */
const shapeOf = (time: unknown): string =>
  typeof time === 'string'
    ? time
        .replaceAll(/\d/g, '9')
        .replaceAll(/[^9TZ:.,+/ -]/g, 'x')
        .slice(0, 40)
    : describeType(time);

/** The probes of the fields of records, and of the URLs in them. */
export const recordProbes: readonly Probe[] = [
  {
    key: 'A-13: whether responses carry a request id',
    assumed: true,
    setting: 'dialect.requestIdHeaders',
    meaning: 'Pass this dialect to the client: without it, errors and logs have no request id.',
    async observe(session) {
      const { requestId, headers } = await session.call('payments.list');
      if (requestId !== undefined) return { value: true, evidence: requestOf(requestId).join() };
      const header = [...headers.keys()].find((name) =>
        /(?:request|correlation|trace|transaction|operation).?id$|^(?:traceparent|x-trace|cf-ray)$/i.test(name),
      );
      if (header === undefined)
        return {
          value: false,
          evidence: 'no header looks like a request id',
          meaning: 'Ask the platform which header has the id: support needs it.',
        };
      session.useDialect({ requestIdHeaders: [header] });
      return { value: [header], evidence: `the header ${identifier(header)}` };
    },
  },
  {
    key: 'A-7: the format of timestamps',
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
          : 'The client cannot parse them all: payments.changes and ' +
            'payments.export cannot work. Report it to the platform.',
      };
    },
  },
  driftProbe(
    'A-8: whether fields of `authorization` and of activity entries may be null or absent',
    async (session) => [...(await payments(session)), ...(await activity(session))],
    /^payments\.list .*authorization|^customers\.activity /,
    ['unexpected-null', 'missing-field', 'unknown-field'],
  ),
  driftProbe(
    'A-22: the content of a string field without a value',
    allRecords,
    /^(?:payments\.list|customers\.\w+) (?!.*authorization)/,
    ['unexpected-null', 'unknown-field', 'unknown-value', 'truncated'],
  ),
  driftProbe(
    "A-25: the values of `status` of a payment's `customer` and `beneficiary`",
    payments,
    /^payments\.list .*(?:customer|beneficiary)\.status$/,
    [],
  ),
  {
    key: 'A-4: the response bodies of `support.attachmentUrl` and `documents.downloadUrl`',
    assumed: true,
    meaning: 'documents.download and support.downloadAttachment throw. Take the URL from body of the error.',
    async observe(session) {
      const [id] = (await payments(session))
        .flatMap(({ authorization }) => fieldsOf(authorization)['documents'] ?? [])
        .flatMap((document) => fieldsOf(document)['id'] ?? []);
      if (typeof id !== 'string' || id === '') return 'no listed payment names a document';
      // No file is downloaded.
      const reply = await session.callWithId('documents.downloadUrl', id);
      const isUrl = findDownloadUrl(reply.body) !== undefined;
      const fields = Object.keys(fieldsOf(reply.body)).slice(0, 5).map(identifier).join(', ');
      const evidence = `documents.downloadUrl, ${describeResponse(reply)}, fields ${fields}`;
      return isSuccess(reply)
        ? { value: isUrl, evidence: `${isUrl ? '' : 'not exactly one URL: '}${evidence}` }
        : evidence;
    },
  },
];
