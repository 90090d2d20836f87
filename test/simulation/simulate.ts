import { MemoryJournal } from 'corridor-sdk';
import { deterministic } from './determinism.ts';
import { Exporter } from './export.ts';
import { Follower } from './follow.ts';
import { Lister } from './list.ts';
import { Network, TooManyRequestsError } from './network.ts';
import { createOnce, Payer, type CreatePayment } from './pay.ts';
import { Platform } from './platform.ts';
import type { Surroundings } from './process.ts';
import { RandomSource } from '../support/random-source.ts';
import { settingsOf, type Settings } from './settings.ts';
import { describe, Trace } from './trace.ts';
import { VirtualTime } from '../support/virtual-time.ts';

/** What a simulation found. */
export interface Result {
  readonly seed: number;
  readonly settings: object;
  /** The promises of the client that were broken. */
  readonly failures: readonly string[];
  /** Everything that happened. */
  readonly trace: readonly string[];
  readonly requests: number;
}

/** What a simulation uses instead of what its seed draws. */
export interface Overrides {
  readonly settings?: Partial<Settings>;
  /** Replaces `createOnce`. */
  readonly create?: CreatePayment;
}

const minute = 60_000;
const lifetime = 6 * minute;
// Longer than everything together; a call that takes longer hangs.
const limit = 40 * 60 * minute;

/**
 * Runs the client against a platform with the network, clocks and faults of a seed, and compares what it reported with
 * what happened. The same seed always has the same result.
 */
export async function simulate(
  seed: number,
  { settings: replaced, create = createOnce }: Overrides = {},
): Promise<Result> {
  const settings = settingsOf(seed, replaced ?? {});
  const time = new VirtualTime();
  const trace = new Trace(time);
  const source = (number: number): RandomSource => new RandomSource(seed * 31 + number);
  const platform = new Platform(time, settings, source(1), trace);
  const network = new Network(time, platform, settings, source(2), trace);
  const surroundings = (number: number): Surroundings => ({
    time,
    settings,
    platform,
    network,
    trace,
    journal: new MemoryJournal(),
    damaged: new Set(),
    random: source(number),
  });
  const onUnhandled = (thrown: unknown): void => trace.fail(`a rejection was not handled: ${describe(thrown)}`);
  process.on('unhandledRejection', onUnhandled);
  const disturb = async (until: number): Promise<void> => {
    const { rotations, endlessLists } = settings;
    const random = source(9);
    if (endlessLists !== undefined) {
      await time.wait(random.below(lifetime));
      platform.isEndless = true;
      trace.add('platform', 'shows lists without an end');
      await time.wait(random.below(2 * minute));
      platform.isEndless = false;
      trace.add('platform', 'shows complete lists');
    }
    while (rotations && time.now() < until) {
      platform.rotateKey();
      await time.wait(random.below(6 * minute));
    }
  };
  const work = async (): Promise<void> => {
    const until = time.now() + lifetime;
    const does = (activity: Settings['activities'][number]): boolean => settings.activities.includes(activity);
    const payer = does('pay') ? new Payer(surroundings(3), create) : undefined;
    const followers = does('follow')
      ? [new Follower(surroundings(4)), ...(settings.followers === 2 ? [new Follower(surroundings(8), 'other')] : [])]
      : [];
    const readers = [
      ...(does('export') ? [new Exporter(surroundings(5))] : []),
      ...(does('list') ? [new Lister(surroundings(6))] : []),
    ];
    const actors = [payer, ...followers, ...readers].filter((actor) => actor !== undefined);
    await Promise.all([platform.live(until), disturb(until), ...actors.map((actor) => actor.run(until))]);
    platform.isCalm = true;
    trace.add('platform', 'works, and nothing changes anymore');
    for (const follower of followers) await follower.finish();
    await payer?.finish();
  };
  try {
    await deterministic(time, source(7), async () => {
      const late = time.wait(limit).then(() => trace.fail('a call did not end within days'));
      await Promise.race([work(), late]);
    });
  } catch (thrown) {
    trace.fail(
      thrown instanceof TooManyRequestsError ? describe(thrown) : `the simulation failed: ${describe(thrown)}`,
    );
  } finally {
    // An unhandled rejection is reported after the turn in which it occurs.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', onUnhandled);
  }
  return { seed, settings, failures: trace.failures, trace: trace.lines, requests: network.requests };
}
