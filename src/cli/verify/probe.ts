import { ApiError, ConnectionError, CorridorError, ServerError, TimeoutError } from '../../index.js';
import type { Observation, Question, SettingPath } from '../../mock/upstream/probes.js';
import { requestOf } from '../../mock/upstream/observed-exchange.js';
import { isPossible, type Measurement } from './platform-file.js';
import { optionsOf, PaymentsStoppedError, type Flag, type Session } from './session.js';

/** A test of one question in docs/assumptions.md. */
export interface Probe extends Question {
  /** What it needs. */
  readonly needs?: Flag;
  /** Sends requests, or uses responses to earlier ones. Returns what they show, or the reason why they show nothing. */
  observe(session: Session): Observation | string | Promise<Observation | string>;
}

/** The conclusion of a probe. */
export interface ProbeResult extends Measurement {
  /** What was observed; the reason if the assumption is not testable. */
  readonly evidence: string;
  /** What it means for the partner, if the assumption is contradicted. */
  readonly meaning?: string;
  /** What it is not testable without. */
  readonly needs?: Flag;
  /** Whether it is not testable because of an error. */
  readonly isFailure: boolean;
}

/** After this many failed connections without a response in between, the platform is down. */
const maxFailures = 2;

/** The results of a run. */
export interface RunResult {
  /** The results, in the order of the table of assumptions. */
  readonly results: readonly ProbeResult[];
  /** Why the run is incomplete; undefined if every probe had responses. */
  readonly problem: string | undefined;
}

/**
 * Runs the probes, one after another: a probe that fails stops no other, unless the platform is down or the run is
 * interrupted. Throws if the platform accepts no read.
 */
export async function runProbes(
  session: Session,
  probes: readonly Probe[],
  onProgress: (done: number) => Promise<void> = async () => {},
): Promise<RunResult> {
  await session.read((corridor, options) => corridor.crypto.networks(options));
  const results: ProbeResult[] = [];
  let problem: string | undefined;
  // Probes that share a request fail with the same error.
  const failures = new Set<unknown>();
  let { responses } = session;
  for (const probe of probes) {
    const { row } = partsOf(probe);
    const { needs } = probe;
    let conclusion: Conclusion;
    if (needs !== undefined && !session.has(needs)) {
      conclusion = notTestable(`needs ${optionsOf[needs]}`, { needs });
    } else if (failures.size >= maxFailures) {
      conclusion = notTestable('the platform does not respond', { isFailure: true });
    } else {
      try {
        conclusion = conclude(probe, await probe.observe(session));
      } catch (error) {
        const failure = describeFailure(error);
        conclusion = notTestable(failure.reason, { isFailure: true });
        if (failure.problem !== undefined) problem ??= `${row} ${failure.problem}`;
        if (session.responses > responses) failures.clear();
        if (error instanceof ConnectionError || error instanceof TimeoutError) failures.add(error);
      }
    }
    session.signal.throwIfAborted();
    if (session.responses > responses && !conclusion.isFailure) failures.clear();
    ({ responses } = session);
    results.push({ ...partsOf(probe), ...conclusion });
    await onProgress(results.length);
  }
  const numberOf = ({ row }: ProbeResult): number => Number(row.slice('A-'.length));
  return { results: results.toSorted((one, other) => numberOf(one) - numberOf(other)), problem };
}

function partsOf({ key, isSample = false }: Question): Pick<ProbeResult, 'row' | 'question' | 'isSample'> {
  const [row = '', question = ''] = key.split(/: (.*)/s);
  return { row, question, isSample };
}

/** Returns what an observation in the requests of a program measures: they are samples. */
export const measurementOf = (question: Question, observation: Observation): Measurement => ({
  ...partsOf(question),
  ...conclude(question, observation),
  isSample: true,
});

type Conclusion = Omit<ProbeResult, 'row' | 'question' | 'isSample'>;

const notTestable = (evidence: string, part: Partial<Conclusion> = {}): Conclusion => ({
  verdict: 'not testable',
  evidence,
  measured: {},
  isFailure: false,
  ...part,
});

function conclude({ assumed, meaning, setting }: Question, seen: Observation | string): Conclusion {
  if (typeof seen === 'string') return notTestable(seen);
  const { value, evidence } = seen;
  const isAssumed = value === assumed;
  const measuredValue = (name: SettingPath): unknown => (isAssumed || !isPossible(name, value) ? undefined : value);
  const measured = seen.measured ?? (setting === undefined ? {} : { [setting]: measuredValue(setting) });
  const consequence = isAssumed ? undefined : (seen.meaning ?? meaning);
  return {
    verdict: isAssumed ? 'confirmed' : 'contradicted',
    evidence,
    measured,
    isFailure: false,
    ...(consequence !== undefined && { meaning: consequence }),
  };
}

function describeFailure(error: unknown): { readonly reason: string; readonly problem?: string } {
  if (error instanceof PaymentsStoppedError) return { reason: error.message };
  if (error instanceof ApiError) {
    const description = [`status ${error.status}`, ...requestOf(error.requestId)].join(', ');
    return {
      reason: `the platform responded with ${description}`,
      ...(error instanceof ServerError && { problem: `failed with ${description}` }),
    };
  }
  // The message of another error could contain data of the platform.
  const name = error instanceof Error ? error.name : typeof error;
  const description = error instanceof CorridorError ? `${name} (${error.code})` : `${name}; please report it`;
  return { reason: `the probe failed: ${description}`, problem: `failed: ${description}` };
}
