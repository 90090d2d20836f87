import {
  ApiError,
  ConnectionError,
  CorridorError,
  ServerError,
  TimeoutError,
  type Dialect,
  type EndpointName,
} from '../../index.js';
import type { ErrorStatuses, MeasuredBehavior, TransitionOverrides } from '../../mock/index.js';
import { flagsOf, PaymentsStoppedError, requestOf, type Flag, type Session } from './session.js';

/** The verdict about an assumption. */
export type Verdict = 'confirmed' | 'contradicted' | 'not testable';

/** A setting that a probe measures, as a path in `corridor.platform.json`; the last part is a key of the setting. */
export type SettingPath =
  | `dialect.${keyof Dialect}`
  | `behavior.${keyof MeasuredBehavior}`
  | `behavior.successStatuses.${EndpointName}`
  | `behavior.errorStatuses.${keyof ErrorStatuses}`
  | `behavior.transitions.${keyof TransitionOverrides}`;

/** The settings that a probe measured; undefined is the default. */
export type Measured = Readonly<Partial<Record<SettingPath, unknown>>>;

/** What the responses show. Its texts contain request ids, counts and statuses, but neither personal data nor keys. */
export interface Observation {
  /** The value to compare with the assumed one. */
  readonly value: unknown;
  readonly evidence: string;
  /** What it means for the partner if it is not as assumed, unless the probe says it. */
  readonly meaning?: string;
  /** The measured settings, if `value` is not that of the probe's setting; an earlier value of any other is kept. */
  readonly measured?: Measured;
}

/** Why the responses do not show the answer; the reason alone if no option would change that. */
export type NotObserved = string | { readonly reason: string; readonly flag: Flag };

/** A test of one question in docs/assumptions.md. */
export interface Probe {
  /** The row, such as `A-11`. */
  readonly row: string;
  /** The question, as in the table and in `platform.assumptions()`. */
  readonly question: string;
  /** The options that it needs. */
  readonly needs?: readonly Flag[];
  /** Sends requests, or uses responses to earlier ones, and returns what they show. */
  observe(session: Session): Observation | NotObserved | Promise<Observation | NotObserved>;
  /** The value that confirms the assumption. */
  readonly assumed?: unknown;
  /** What another value means for the partner. */
  readonly meaning?: string;
  /** The setting of the client or the mock that takes the value. */
  readonly setting?: SettingPath;
  /** Whether it sees samples only, so that a contradiction that is absent from a later run is no change. */
  readonly isSample?: boolean;
}

/** The conclusion of a probe. */
export interface ProbeResult extends Pick<Probe, 'row' | 'question'> {
  readonly verdict: Verdict;
  /** What was observed; the reason if the assumption is not testable. */
  readonly evidence: string;
  /** What it means for the partner, if the assumption is contradicted. */
  readonly meaning?: string;
  readonly measured: Measured;
  readonly isSample: boolean;
  /** The options without which it is not testable. */
  readonly flags: readonly Flag[];
  /** Whether it is not testable because of an error. */
  readonly isFailure: boolean;
}

/** Returns the key of a result in `corridor.platform.json`. */
export const keyOf = ({ row, question }: Pick<Probe, 'row' | 'question'>): string => `${row}: ${question}`;

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
  await session.read('crypto.networks', (corridor, options) => corridor.crypto.networks(options));
  const results: ProbeResult[] = [];
  let firstProblem: string | undefined;
  // Probes that share a request fail with the same error.
  const failures = new Set<unknown>();
  let { responses } = session;
  for (const probe of probes) {
    const missing = (probe.needs ?? []).filter((flag) => !flagsOf(session.settings).has(flag));
    let conclusion: Conclusion;
    if (missing.length > 0) {
      conclusion = notTestable(`needs ${missing.map((flag) => `--${flag}`).join(' and ')}`, { flags: missing });
    } else if (failures.size >= maxFailures) {
      conclusion = notTestable('the platform does not respond', { isFailure: true });
    } else {
      try {
        conclusion = conclude(probe, await probe.observe(session));
      } catch (error) {
        const { reason, problem } = describeFailure(error);
        conclusion = notTestable(reason, { isFailure: true });
        if (problem !== undefined) firstProblem ??= `${probe.row} ${problem}`;
        if (session.responses > responses) failures.clear();
        if (error instanceof ConnectionError || error instanceof TimeoutError) failures.add(error);
      }
    }
    session.signal.throwIfAborted();
    if (session.responses > responses && !conclusion.isFailure) failures.clear();
    ({ responses } = session);
    const { row, question, isSample = false } = probe;
    results.push({ row, question, isSample, ...conclusion });
    await onProgress(results.length);
  }
  return { results: results.toSorted((one, other) => numberOf(one) - numberOf(other)), problem: firstProblem };
}

const numberOf = ({ row }: ProbeResult): number => Number(row.slice('A-'.length));

type Conclusion = Omit<ProbeResult, 'row' | 'question' | 'isSample'>;

const notTestable = (
  evidence: string,
  { flags = [], isFailure = false }: Partial<Pick<Conclusion, 'flags' | 'isFailure'>> = {},
): Conclusion => ({ verdict: 'not testable', evidence, measured: {}, flags, isFailure });

function conclude({ assumed, meaning, setting }: Probe, seen: Observation | NotObserved): Conclusion {
  if (typeof seen === 'string') return notTestable(seen);
  if ('reason' in seen) return notTestable(seen.reason, { flags: [seen.flag] });
  const { value, evidence } = seen;
  const isAssumed = value === assumed;
  const { measured = setting === undefined ? {} : { [setting]: isAssumed ? undefined : value } } = seen;
  const shared = { evidence, measured, flags: [], isFailure: false };
  const consequence = seen.meaning ?? meaning;
  if (isAssumed) return { verdict: 'confirmed', ...shared };
  return { verdict: 'contradicted', ...shared, ...(consequence !== undefined && { meaning: consequence }) };
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
