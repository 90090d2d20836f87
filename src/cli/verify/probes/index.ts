import { createMockPlatform } from '../../../mock/index.js';
import { exchangeProbes } from '../../../mock/upstream/probes.js';
import type { Probe } from '../probe.js';
import { errorProbes, statusProbe } from './errors.js';
import { listProbes } from './lists.js';
import { dryProbes, paymentProbes } from './payments.js';
import { recordProbes } from './records.js';

/** The claims are those of each request: a platform that rejects them ends the run. */
const claimsProbe: Probe = {
  ...exchangeProbes.claims,
  async observe(session) {
    const seen = exchangeProbes.claims.look(await session.call('crypto.networks'));
    return typeof seen === 'string' ? { value: false, evidence: seen } : seen;
  },
};

/** The probes, in the order in which they run: later ones use the filter names and the responses of earlier ones. */
const testing: readonly Probe[] = [
  ...listProbes,
  ...recordProbes,
  ...dryProbes,
  ...errorProbes,
  ...paymentProbes,
  claimsProbe,
  statusProbe,
];

/** All questions of docs/assumptions.md: those that no probe tests have no conclusion. */
export const probes: readonly Probe[] = [
  ...testing,
  ...createMockPlatform()
    .assumptions()
    .map(({ id, question }): Probe => ({
      key: `${id}: ${question}`,
      observe: () => 'no request of this command shows it: ask the platform',
    }))
    .filter(({ key }) => !testing.some((probe) => probe.key === key)),
];
