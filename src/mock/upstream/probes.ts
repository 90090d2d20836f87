import { describeType } from '../../contract/describe.js';
import type { Dialect } from '../../contract/dialect.js';
import { endpointNames, endpoints, type EndpointName } from '../../contract/endpoints.js';
import { errorIn } from '../../contract/schema/error-body.js';
import { findDownloadUrl } from '../../contract/schema/download-url.js';
import type { DriftKind } from '../../contract/violations.js';
import { defaultErrorStatuses, type ErrorStatuses } from '../base/error-statuses.js';
import type { MeasuredBehavior } from '../base/mock-options.js';
import {
  describeResponse,
  fieldsOf,
  identifier,
  isSuccess,
  itemsOf,
  requestOf,
  timeOf,
  violationsIn,
  type Fields,
  type ObservedExchange,
} from './observed-exchange.js';

/** A setting that a probe measures, as a path in `corridor.platform.json`. */
export type SettingPath =
  | `dialect.${keyof Dialect}`
  | `behavior.${keyof MeasuredBehavior}`
  | `behavior.errorStatuses.${keyof ErrorStatuses}`
  | `behavior.successStatuses.${EndpointName}`;

/** The settings that a probe measured; undefined is the default. */
export type Measured = Readonly<Partial<Record<SettingPath, unknown>>>;

/** What the responses show. Its texts contain request ids, counts and statuses, but neither personal data nor keys. */
export interface Observation {
  /** The value to compare with the assumed one. */
  readonly value: unknown;
  readonly evidence: string;
  /** What it means for the partner if it is not as assumed, unless the probe says it. */
  readonly meaning?: string;
  /** How much it saw: of observations that agree, the first with the most is kept. @default 0 */
  readonly weight?: number;
  /** The measured settings, if they are not the value of the probe's setting; an earlier value of any other is kept. */
  readonly measured?: Measured;
}

/** A question of docs/assumptions.md, and what its answers mean. */
export interface Question {
  /** The row and the question, as in `platform.assumptions()`: `A-11: the order of lists`. */
  readonly key: string;
  /** The value that confirms the assumption. */
  readonly assumed?: unknown;
  /** What another value means for the partner. */
  readonly meaning?: string;
  /** The setting of the client or the mock that takes the value. */
  readonly setting?: SettingPath;
  /** Whether it sees samples only, so that a contradiction that is absent from a later run is no change. */
  readonly isSample?: boolean;
}

/** A question that a single exchange can answer. */
export interface ExchangeProbe extends Question {
  /** Returns what an exchange shows, or why it does not; undefined if it is not about the question. */
  look(exchange: ObservedExchange): Observation | string | undefined;
}

/** Creates a probe of the successful responses to some endpoints. */
const ofEndpoints = (names: readonly EndpointName[], look: ExchangeProbe['look']): Pick<ExchangeProbe, 'look'> => ({
  look: (exchange) =>
    isSuccess(exchange) && exchange.endpoint !== undefined && names.includes(exchange.endpoint)
      ? look(exchange)
      : undefined,
});

const lists = ['payments.list', 'customers.list', 'customers.beneficiaries'] as const;

/** Returns the records of a list, or the only one of another response. */
function recordsOf(exchange: ObservedExchange): readonly Fields[] {
  const { endpoint, body } = exchange;
  return endpoint === 'payments.create' || endpoint === 'customers.get' ? [fieldsOf(body)] : itemsOf(exchange);
}

/** Describes what asked for a response, and the response. */
const describe = (exchange: ObservedExchange): string =>
  `${exchange.endpoint ?? 'no endpoint'}, ${describeResponse(exchange)}`;

/** A probe of the differences to the contract in some fields, of which the given kinds are as assumed. */
const driftProbe = (
  key: string,
  names: readonly EndpointName[],
  path: RegExp,
  assumed: readonly DriftKind[],
): ExchangeProbe => ({
  key,
  assumed: 'as assumed',
  meaning: 'Read these fields as unknown, and report them to the platform. onDrift reports each in production.',
  isSample: true,
  ...ofEndpoints(names, (exchange) => {
    const { length: count } = recordsOf(exchange);
    if (count === 0) return 'the sample has no such records';
    const found = violationsIn(exchange).filter((each) => path.test(`${exchange.endpoint} ${each.path}`));
    const kinds = [...new Set(found.map(({ kind }) => kind))]
      .map((kind) => `${found.filter((each) => each.kind === kind).length} ${kind}`)
      .join(', ');
    const evidence = `${count} records${kinds === '' ? ', all fields as in the contract' : `, differences: ${kinds}`}`;
    const others = found.filter(({ kind }) => !assumed.includes(kind));
    if (others.length === 0) return { value: 'as assumed', evidence, weight: count };
    const fields = new Set(others.map((each) => identifier(each.path.replaceAll(/\[\d+\]/g, ''))));
    const list = [...fields].slice(0, 5).join(', ');
    return { value: 'different', evidence: `${evidence}; fields: ${list}`, weight: count };
  }),
});

/** Returns the shape of a timestamp, without its value; of a value that is no string, its type. */
const shapeOf = (time: unknown): string =>
  typeof time === 'string'
    ? time
        .replaceAll(/\d/g, '9')
        .replaceAll(/[^9TZ:.,+/ -]/g, 'x')
        .slice(0, 40)
    : describeType(time);

/** Returns the known shape of an error body. */
function errorShapeOf({ body, headers }: ObservedExchange): MeasuredBehavior['errorBody'] {
  const { code, message, error, statusCode, detail, title } = fieldsOf(body);
  const isText = (value: unknown): boolean => typeof value === 'string';
  if (/problem\+json/i.test(headers.get('content-type') ?? '') && (isText(detail) || isText(title)))
    return 'problem+json';
  if (isText(fieldsOf(error)['message'])) return 'nested';
  if (typeof statusCode === 'number' && isText(message)) return 'status-code';
  return isText(code) && isText(message) ? 'plain' : undefined;
}

/** What the statuses of errors show, by the codes of the mock. */
export function observeErrorStatuses(errors: ReadonlyMap<string, Pick<ObservedExchange, 'status'>>): Observation {
  const defaults: Readonly<Record<string, number>> = defaultErrorStatuses;
  const seen = [...errors].map(([code, { status }]) => ({ code, status, isOther: status !== defaults[code] }));
  const others = seen.flatMap(({ code, isOther }) => (isOther ? code : []));
  const evidence = `${seen.length} errors: ${seen.map(({ code, status }) => `${code} ${status}`).join(', ')}`;
  return {
    value: others.length === 0 ? 'as assumed' : 'different',
    evidence: others.length === 0 ? evidence : `different: ${others.join(', ')}, of ${evidence}`,
    measured: Object.fromEntries(
      seen.map(({ code, status, isOther }) => [`behavior.errorStatuses.${code}`, isOther ? status : undefined]),
    ),
  };
}

/** What the lag of a list shows, in seconds; 0 if its first read had the payment, undefined if it has it too late. */
export function observeLag(lag: number | undefined, most = 60): Observation {
  if (lag === 0) return { value: 'not at all', evidence: 'the first read of the list had the payment' };
  if (lag === undefined)
    return {
      value: 'too long',
      evidence: `the list did not have the payment after ${most} s`,
      meaning: `Set consistencyWindow to more than ${most} s, or ask the platform why the payment is missing.`,
    };
  return {
    value: { seconds: lag },
    weight: lag,
    evidence: `the list had the payment after ${lag} s`,
    meaning:
      lag < 10
        ? 'The default consistencyWindow of 10 s covers it.'
        : `Set consistencyWindow to at least ${lag * 2} s: otherwise createOnce does not find payments in time.`,
  };
}

/** The questions that the lag of a list answers: it is that between two exchanges. */
export const lagQuestion: Question = {
  key: 'A-11: how long lists lag',
  assumed: 'not at all',
  setting: 'behavior.listLag',
};

/** The format that the client assumes of amounts. */
export const assumedFormat = 'any decimals, after a point';

const hour = 3_600_000;

/** The probes, by name. */
export const exchangeProbes = {
  claims: {
    key: 'A-2: the claims and lifetime of the token',
    assumed: true,
    look(exchange) {
      const evidence = `a request with the claims of the client: ${describeResponse(exchange)}`;
      return isSuccess(exchange) ? { value: true, evidence } : evidence;
    },
  },
  successStatus: {
    key: 'A-3: success statuses',
    assumed: 'as assumed',
    meaning: 'The client accepts any 2xx. Code of yours that compares statuses does not.',
    isSample: true,
    ...ofEndpoints(endpointNames, (exchange) => {
      const { endpoint = 'payments.list', status } = exchange;
      const evidence = describe(exchange);
      const isAssumed = endpoints[endpoint].success === status;
      const measured = { [`behavior.successStatuses.${endpoint}`]: isAssumed ? undefined : status };
      return { value: isAssumed ? 'as assumed' : 'different', evidence, measured };
    }),
  },
  downloadUrl: {
    key: 'A-4: the response bodies of `support.attachmentUrl` and `documents.downloadUrl`',
    assumed: true,
    meaning: 'documents.download and support.downloadAttachment throw. Take the URL from body of the error.',
    ...ofEndpoints(['documents.downloadUrl', 'support.attachmentUrl'], (exchange) => {
      const isUrl = findDownloadUrl(exchange.body) !== undefined;
      const fields = Object.keys(fieldsOf(exchange.body)).slice(0, 5).map(identifier).join(', ');
      const evidence = `${describe(exchange)}, fields ${fields}`;
      return { value: isUrl, evidence: `${isUrl ? '' : 'not exactly one URL: '}${evidence}` };
    }),
  },
  errorBody: {
    key: 'A-6: the shape and codes of errors',
    assumed: 'plain',
    setting: 'behavior.errorBody',
    look(exchange) {
      if (exchange.status < 400 || exchange.status >= 500) return undefined;
      const evidence = describe(exchange);
      const value = errorShapeOf(exchange);
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
  timestamps: {
    key: 'A-7: the format of timestamps',
    assumed: '9999-99-99T99:99:99.999Z',
    ...ofEndpoints([...lists, 'payments.create', 'customers.get'], (exchange) => {
      const times = recordsOf(exchange).flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt]);
      if (times.length === 0) return 'no list has records';
      const shapes = [...new Set(times.map(shapeOf))];
      return {
        value: shapes.join(', '),
        weight: times.length,
        evidence: `${times.length} timestamps: ${shapes.slice(0, 3).join(', ')}`,
        meaning: times.every((time) => timeOf(time) !== undefined)
          ? 'The client compares them as ISO 8601. Compare them as times, not as strings.'
          : 'The client cannot parse them all: payments.changes and ' +
            'payments.export cannot work. Report it to the platform.',
      };
    }),
  },
  authorization: driftProbe(
    'A-8: whether fields of `authorization` and of activity entries may be null or absent',
    ['payments.list', 'customers.activity'],
    /^payments\.list .*authorization|^customers\.activity /,
    ['unexpected-null', 'missing-field', 'unknown-field'],
  ),
  emptyStrings: driftProbe(
    'A-22: the content of a string field without a value',
    [...lists, 'customers.get'],
    /^(?:payments\.list|customers\.\w+) (?!.*authorization)/,
    ['unexpected-null', 'unknown-field', 'unknown-value', 'truncated'],
  ),
  partyStatus: driftProbe(
    "A-25: the values of `status` of a payment's `customer` and `beneficiary`",
    ['payments.list'],
    /^payments\.list .*(?:customer|beneficiary)\.status$/,
    [],
  ),
  createdStatus: {
    key: 'A-10: the status after creation',
    assumed: 'PENDING_REVIEW',
    setting: 'behavior.createdStatus',
    meaning: 'The client accepts any status. Code of yours that waits for PENDING_REVIEW does not.',
    ...ofEndpoints(['payments.create'], (exchange) => {
      const { status } = fieldsOf(exchange.body);
      return { value: status, evidence: `${identifier(status)}: ${describeResponse(exchange)}` };
    }),
  },
  listOrder: {
    key: 'A-11: the order of lists',
    assumed: 'newest-first',
    setting: 'behavior.listOrder',
    meaning: 'The client depends on no order. Code of yours that reads the first page as the newest payments does.',
    ...ofEndpoints(['payments.list'], (exchange) => {
      const times = itemsOf(exchange).map(({ createdAt }) => timeOf(createdAt) ?? Number.NaN);
      const distinct = new Set(times).size;
      if (distinct < 5) return `needs payments with at least 5 different times (there are ${distinct})`;
      const isSorted = (sign: 1 | -1): boolean =>
        times.every((time, index) => index === 0 || sign * (time - (times[index - 1] ?? time)) >= 0);
      const [value, order] = isSorted(-1)
        ? ['newest-first', 'newest first']
        : isSorted(1)
          ? ['oldest-first', 'oldest first']
          : ['shuffled', 'no order by createdAt'];
      const evidence = `${order}: ${times.length} payments, ${requestOf(exchange.requestId).join()}`;
      return { value, evidence, weight: times.length };
    }),
  },
  rateLimit: {
    key: 'A-12: rate limits',
    assumed: 'none',
    meaning: 'The client retries a 429 after its Retry-After. Pass rateLimit to stay below the limit.',
    look({ status, headers, requestId }) {
      const names = [...headers.keys()].filter((name) => /^(?:x-)?rate-?limit/.test(name) || name === 'retry-after');
      if (status !== 429 && !names.some((name) => name !== 'retry-after')) return undefined;
      const values = names.map((name) => `${name} ${identifier(headers.get(name))}`);
      const evidence = [`status ${status}`, ...values, ...requestOf(requestId)].join(', ');
      return { value: 'limited', evidence, measured: {} };
    },
  },
  requestId: {
    key: 'A-13: whether responses carry a request id',
    assumed: true,
    setting: 'dialect.requestIdHeaders',
    meaning: 'Pass this dialect to the client: without it, errors and logs have no request id.',
    look({ status, requestId, headers }) {
      if (requestId !== undefined) return { value: true, evidence: requestOf(requestId).join() };
      if (status >= 500) return undefined;
      const header = [...headers.keys()].find((name) =>
        /(?:request|correlation|trace|transaction|operation).?id$|^(?:traceparent|x-trace|cf-ray)$/i.test(name),
      );
      return header === undefined
        ? {
            value: false,
            evidence: 'no header looks like a request id',
            meaning: 'Ask the platform which header has the id: support needs it.',
          }
        : { value: [header], evidence: `the header ${identifier(header)}` };
    },
  },
  clock: {
    key: 'A-14: the clock of `createdAt`',
    assumed: 'within an hour of Date',
    meaning: 'createOnce and reconcile search by these clocks. Ask the platform before you create payments.',
    ...ofEndpoints(['payments.create'], (exchange) => {
      const { createdAt } = fieldsOf(exchange.body);
      const date = exchange.headers.get('date');
      const apart = Math.abs((timeOf(createdAt) ?? Number.NaN) - Date.parse(date ?? ''));
      if (date === null) return { value: 'no Date', evidence: `no Date header: ${describeResponse(exchange)}` };
      const evidence = `${Math.round(apart / 1000)} s between createdAt and Date: ${describeResponse(exchange)}`;
      return { value: apart <= hour ? 'within an hour of Date' : 'apart', evidence };
    }),
  },
  quotesInLists: {
    key: 'A-16: whether the list shows every payment',
    assumed: true,
    isSample: true,
    ...ofEndpoints(['payments.list'], (exchange) => {
      const sample = itemsOf(exchange);
      if (sample.length === 0) return 'the list has no payments';
      const without = sample.filter(({ paymentQuoteId }) => typeof paymentQuoteId !== 'string').length;
      const evidence =
        `${sample.length - without} of ${sample.length} listed payments have ` +
        `a paymentQuoteId, ${requestOf(exchange.requestId).join()}`;
      const meaning =
        'createOnce and reconcile find a payment by its quote. Ask the platform ' +
        'whether the payments without one were created in another way.';
      const weight = sample.length;
      return without > 0 ? { value: false, evidence, meaning, weight } : { value: true, evidence, weight };
    }),
  },
  amounts: {
    key: 'A-18: the format of an amount',
    assumed: assumedFormat,
    meaning: 'Amounts have another format than those that the client sends. Set dialect.amountFormat if it has it.',
    isSample: true,
    ...ofEndpoints(['payments.list', 'payments.create'], (exchange) => {
      const amounts = recordsOf(exchange).map(({ amount }) => shapeOf(amount).replaceAll(/9+/g, '9'));
      const shapes = [...new Set(amounts)].join(', ');
      // Usual amounts in responses do not show which ones the platform accepts.
      if (/^(?:9(?:\.9)?(?:, |$))*$/.test(shapes)) return undefined;
      return { value: shapes, evidence: `${amounts.length} amounts of payments: ${shapes}`, measured: {} };
    }),
  },
  errorStatuses: {
    key: 'A-36: the statuses of errors',
    assumed: 'as assumed',
    meaning:
      'The client decides by the status whether a payment can exist (A-15). Your tests should see the same statuses.',
    isSample: true,
    look({ status, body }) {
      const { code = '' } = errorIn(body);
      return status >= 400 && status < 500 && Object.hasOwn(defaultErrorStatuses, code)
        ? observeErrorStatuses(new Map([[code, { status }]]))
        : undefined;
    },
  },
} satisfies Readonly<Record<string, ExchangeProbe>>;
