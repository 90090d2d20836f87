import { endpoints } from '../../../contract/endpoints.js';
import { describeType } from '../../../contract/validate.js';
import { customerTransitions } from '../../../mock/index.js';
import { endpointNames, type Drift, type EndpointName } from '../../../index.js';
import { confirmed, contradicted, notTestable, type Conclusion, type Probe } from '../probe.js';
import { activity, beneficiaries, customers, payments, readAll, screening } from '../samples.js';
import { fieldsOf, identifier, requestOf, timeOf, type Fields, type Session } from '../session.js';

const statuses: Probe = {
  row: 'A-3',
  question: 'success statuses',
  isSample: true,
  async run(session) {
    await readAll(session);
    const seen = [...session.successes].map(([name, { status }]) => [name, status] as const);
    const others = seen.filter(([name, status]) => status !== endpoints[name].success);
    const unseen = endpointNames.length - seen.length;
    const evidence = `${seen.length} endpoints${unseen === 0 ? '' : `, ${unseen} without a success in this run`}`;
    const settings = seen.map(([name]) => `behavior.successStatuses.${name}` as const);
    if (others.length === 0) return { ...confirmed(evidence), settings };
    const conclusion = contradicted(
      `${others.map(([name, status]) => `${name} ${status}`).join(', ')}; ${evidence}`,
      'The client accepts any 2xx. Code of yours that compares the status does not.',
      { behavior: { successStatuses: Object.fromEntries(others) as Partial<Record<EndpointName, number>> } },
    );
    return { ...conclusion, settings };
  },
};

const timestamps: Probe = {
  row: 'A-7',
  question: 'the format of timestamps',
  async run(session) {
    const records = [...(await payments(session)), ...(await customers(session)), ...(await beneficiaries(session))];
    const times = records.flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt]);
    const shapes = new Set(times.map(shapeOf));
    if (times.length === 0) return notTestable('no list has records');
    const evidence = `${times.length} timestamps: ${[...shapes].slice(0, 3).join(', ')}`;
    if (shapes.size === 1 && shapes.has('9999-99-99T99:99:99.999Z')) return confirmed(evidence);
    return contradicted(
      evidence,
      times.every((time) => timeOf(time) !== undefined)
        ? 'The client compares them as ISO 8601. Compare them as times, not as strings.'
        : 'The client cannot parse them all: payments.changes and payments.export cannot work. Report it to the platform.',
    );
  },
};

/** Returns the shape of a timestamp, without its value; of a value that is no string, its type. */
const shapeOf = (time: unknown): string =>
  typeof time === 'string'
    ? time
        .replaceAll(/\d/g, '9')
        .replaceAll(/[^9TZ:.,+/ -]/g, 'x')
        .slice(0, 40)
    : describeType(time);

const requestIds: Probe = {
  row: 'A-13',
  question: 'whether responses carry a request id',
  settings: ['dialect.requestIdHeaders'],
  async run(session) {
    const reply = await session.call('payments.list');
    if (reply.requestId !== undefined) {
      return confirmed(requestOf(reply.requestId).join());
    }
    const header = [...reply.headers.keys()].find((name) =>
      /(?:request|correlation|trace|transaction|operation).?id$|^(?:traceparent|x-trace|cf-ray)$/i.test(name),
    );
    if (header === undefined)
      return contradicted(
        'no header looks like a request id',
        'Ask the platform which header has the id: support needs it.',
      );
    const dialect = { requestIdHeaders: [header] };
    session.useDialect(dialect);
    return contradicted(
      `the header ${identifier(header)}`,
      'Pass this dialect to the client: without it, errors and logs have no request id.',
      { dialect },
    );
  },
};

/** Concludes from the differences to the contract in some fields; those of the given kinds are as assumed. */
function byDrift(
  session: Session,
  count: number,
  path: RegExp,
  isAssumed: (kind: Drift['kind']) => boolean,
): Conclusion {
  if (count === 0) return notTestable('the sample has no such records');
  const found = session.drift.filter((drift) => path.test(`${drift.endpoint} ${drift.path}`));
  const others = found.filter(({ kind }) => !isAssumed(kind));
  const kinds = countsOf(found.map(({ kind }) => kind));
  const evidence = `${count} records${kinds === '' ? ', all fields as in the contract' : `, differences: ${kinds}`}`;
  if (others.length === 0) return confirmed(evidence);
  return contradicted(
    `${evidence}; fields: ${fieldNames(others)}`,
    'Read these fields as unknown, and report them to the platform. onDrift reports each in production.',
  );
}

function countsOf(values: readonly string[]): string {
  const countOf = (value: string): number => values.filter((other) => other === value).length;
  return [...new Set(values)].map((value) => `${countOf(value)} ${value}`).join(', ');
}

function fieldNames(drift: readonly Drift[]): string {
  return [...new Set(drift.map(({ path }) => identifier(path.replaceAll(/\[\d+\]/g, ''))))].slice(0, 5).join(', ');
}

const absentFields: Probe = {
  row: 'A-8',
  question: 'whether fields of `authorization` and of activity entries may be null or absent',
  isSample: true,
  async run(session) {
    const [sample, logs] = [await payments(session), await activity(session)];
    return byDrift(
      session,
      sample.length + logs.flat().length,
      /^payments\.list .*authorization|^customers\.activity /,
      (kind) => kind === 'unexpected-null' || kind === 'missing-field' || kind === 'unknown-field',
    );
  },
};

const emptyStrings: Probe = {
  row: 'A-22',
  question: 'the content of a string field without a value',
  isSample: true,
  async run(session) {
    const records = [...(await payments(session)), ...(await customers(session)), ...(await beneficiaries(session))];
    const conclusion = byDrift(
      session,
      records.length,
      /^(?:payments\.list|customers\.\w+) (?!.*authorization)/,
      (kind) =>
        kind === 'unexpected-null' || kind === 'unknown-field' || kind === 'unknown-value' || kind === 'truncated',
    );
    const empty = records.flatMap((record) => Object.values(record)).filter((value) => value === '').length;
    return { ...conclusion, evidence: `${conclusion.evidence}, ${empty} empty strings` };
  },
};

const partyStatuses: Probe = {
  row: 'A-25',
  question: "the values of `status` of a payment's `customer` and `beneficiary`",
  isSample: true,
  async run(session) {
    const sample = await payments(session);
    return byDrift(session, sample.length, /^payments\.list .*(?:customer|beneficiary)\.status$/, () => false);
  },
};

const disposition: Probe = {
  row: 'A-24',
  question: 'the `disposition` of an open match without a decision',
  isSample: true,
  async run(session) {
    const found = await screening(session);
    if (found === undefined) return notTestable('needs --person with a person who has an open match');
    const matches = Array.isArray(found['openMatches']) ? found['openMatches'].map(fieldsOf) : [];
    return byDrift(
      session,
      matches.length,
      /^screening\.get openMatches.*disposition/,
      (kind) => kind === 'missing-field',
    );
  },
};

const chargeCurrency: Probe = {
  row: 'A-30',
  question: 'the currency of `principal` and `approvedCharge`',
  isSample: true,
  async run(session) {
    const converted = (await payments(session))
      .map((payment): readonly [Fields, Fields] => [payment, fieldsOf(payment['authorization'])])
      .filter(
        ([{ currencyCode }, { sourceCurrency }]) =>
          typeof sourceCurrency === 'string' && sourceCurrency !== currencyCode,
      );
    if (converted.length === 0) return notTestable('needs a payment in another currency than its source');
    const equal = converted.filter(([{ amount }, { principal }]) => Number(amount) === Number(principal)).length;
    const evidence = `principal equals amount in ${equal} of ${converted.length} payments in another currency than their source`;
    if (equal === converted.length) return confirmed(evidence);
    return contradicted(
      evidence,
      'principal and approvedCharge may be in the source currency. Do not compare them with amount.',
    );
  },
};

const transitions: Probe = {
  row: 'A-10',
  question: 'the allowed transitions',
  settings: ['behavior.transitions.customers'],
  isSample: true,
  async run(session) {
    const changes = (await activity(session)).flat().filter(({ eventType }) => eventType === 'STATUS_CHANGE');
    if (changes.length === 0) return notTestable('no customer has a change of status in its activity');
    const known: Readonly<Record<string, readonly string[]>> = customerTransitions;
    const isKnownStatus = (status: unknown): status is string =>
      typeof status === 'string' && Object.hasOwn(known, status);
    const rows: Record<string, string[]> = {};
    for (const { fromStatus, toStatus } of changes) {
      if (!isKnownStatus(fromStatus) || !isKnownStatus(toStatus)) continue;
      rows[fromStatus] ??= [...(known[fromStatus] ?? [])];
      if (rows[fromStatus]?.includes(toStatus) === false) rows[fromStatus]?.push(toStatus);
    }
    const added = Object.fromEntries(
      Object.entries(rows).filter(([from, to]) => to.length > (known[from] ?? []).length),
    );
    const evidence = `${changes.length} changes of customers`;
    if (Object.keys(added).length === 0)
      return notTestable(
        `${evidence} are as assumed, but a transition that never happened can be allowed; payments and beneficiaries have no activity`,
      );
    return contradicted(
      `other transitions of ${Object.keys(added).join(', ')}, among ${evidence}`,
      'The client accepts any transition. Your tests need these too.',
      { behavior: { transitions: { customers: added } } },
    );
  },
};

/** The probes of fields and statuses. */
export const fieldProbes: readonly Probe[] = [
  requestIds,
  timestamps,
  absentFields,
  emptyStrings,
  partyStatuses,
  disposition,
  chargeCurrency,
  transitions,
];

/** The probe of success statuses, which comes last: it uses the responses of all others. */
export const statusProbe: Probe = statuses;
