import * as z from 'zod/mini';
import type { MockPlatform } from '../../platform.js';
import { clockState } from '../../store/clock.js';
import { noParameters, object, type NamedCalls } from './call.js';

const time = z.union([z.string(), z.number()]);

/** The calls that read and move the clock. */
export const clockCalls: NamedCalls = [
  ['clock.now', { scope: 'platform', parameters: noParameters, reads: true, run: (platform) => timeOf(platform) }],
  [
    'clock.set',
    {
      scope: 'platform',
      parameters: z.strictObject({ to: time }),
      run: (platform, _, to) => timeOf(platform, () => platform.clock.set(to)),
    },
  ],
  [
    'clock.advance',
    {
      scope: 'platform',
      parameters: z.strictObject({ by: object }),
      run: (platform, _, by) => timeOf(platform, () => platform.clock.advance(by)),
    },
  ],
  [
    'clock.freeze',
    {
      scope: 'platform',
      parameters: z.strictObject({ at: z.optional(time) }),
      run: (platform, _, at) => timeOf(platform, () => platform.clock.freeze(at)),
    },
  ],
  [
    'clock.resume',
    { scope: 'platform', parameters: noParameters, run: (platform) => timeOf(platform, () => platform.clock.resume()) },
  ],
];

function timeOf({ clock }: MockPlatform, changeClock: () => void = () => {}): object {
  changeClock();
  return { now: new Date(clock.now()).toISOString(), running: clockState(clock).running };
}
