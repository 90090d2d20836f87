import { exchangeProbes } from '../../../mock/upstream/probes.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  listOf,
  type Fields,
} from '../../../mock/upstream/observed-exchange.js';
import type { Probe } from '../probe.js';
import { activity, beneficiaries, customers, firstPage, payments } from '../samples.js';
import type { Session } from '../session.js';

/** Returns the payments, customers and beneficiaries of the samples. */
const allRecords = async (session: Session): Promise<readonly Fields[]> => [
  ...(await payments(session)),
  ...(await customers(session)),
  ...(await beneficiaries(session)),
];

/** Returns what a probe looks at in the records of the samples. */
const inRecords = (
  probe: (typeof exchangeProbes)['timestamps' | 'authorization'],
  records: (session: Session) => Promise<readonly Fields[]>,
): Probe => ({
  ...probe,
  observe: async (session) => probe.look(listOf(await records(session), session.drift)),
});

/** The probes of the fields of records, and of the URLs in them. */
export const recordProbes: readonly Probe[] = [
  ...[exchangeProbes.successStatus, exchangeProbes.rateLimit].map((probe): Probe => ({
    ...probe,
    observe: async (session) => probe.look(await firstPage(session)),
  })),
  {
    ...exchangeProbes.requestId,
    async observe(session) {
      const seen = exchangeProbes.requestId.look(await firstPage(session));
      if (typeof seen === 'object' && Array.isArray(seen.value)) session.useDialect({ requestIdHeaders: seen.value });
      return seen;
    },
  },
  inRecords(exchangeProbes.timestamps, allRecords),
  inRecords(exchangeProbes.authorization, async (session) => [
    ...(await payments(session)),
    ...(await activity(session)),
  ]),
  inRecords(exchangeProbes.emptyStrings, allRecords),
  inRecords(exchangeProbes.partyStatus, payments),
  {
    ...exchangeProbes.downloadUrl,
    async observe(session) {
      const [id] = (await payments(session))
        .flatMap(({ authorization }) => fieldsOf(authorization)['documents'] ?? [])
        .flatMap((document) => fieldsOf(document)['id'] ?? []);
      if (typeof id !== 'string' || id === '') return 'no listed payment names a document';
      // No file is downloaded.
      const endpoint = 'documents.downloadUrl';
      const reply = { ...(await session.callWithId(endpoint, id)), endpoint } as const;
      return isSuccess(reply) ? exchangeProbes.downloadUrl.look(reply) : `${endpoint}, ${describeResponse(reply)}`;
    },
  },
];
