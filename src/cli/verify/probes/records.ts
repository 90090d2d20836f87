import { fieldsOf, describeResponse, isSuccess } from '../../../mock/upstream/observed-exchange.js';
import { exchangeProbes } from '../../../mock/upstream/probes.js';
import type { Probe } from '../probe.js';
import { recordsOf } from '../samples.js';

/** The probes of the fields of records, and of the URLs in them. */
export const recordProbes: readonly Probe[] = [
  {
    questions: [
      exchangeProbes.timestamps,
      exchangeProbes.authorization,
      exchangeProbes.emptyStrings,
      exchangeProbes.partyStatus,
    ],
    async run(session) {
      await recordsOf(session, 'payments.list');
      await recordsOf(session, 'customers.beneficiaries');
      await recordsOf(session, 'customers.activity');
    },
  },
  {
    questions: [exchangeProbes.downloadUrl],
    async run(session) {
      const [id] = (await recordsOf(session, 'payments.list'))
        .flatMap(({ authorization }) => fieldsOf(authorization)['documents'] ?? [])
        .flatMap((document) => fieldsOf(document)['id'] ?? []);
      if (typeof id !== 'string' || id === '') return 'no listed payment names a document';
      // No file is downloaded.
      const response = await session.call('documents.downloadUrl', {}, id);
      return isSuccess(response) ? undefined : `documents.downloadUrl, ${describeResponse(response)}`;
    },
  },
];
