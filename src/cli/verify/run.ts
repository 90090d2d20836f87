import { ApiError, ConnectionError, CorridorError, ServerError, TimeoutError } from '../../index.js';
import { notTestable, type Conclusion, type Probe, type ProbeResult } from './probe.js';
import { PaymentsStoppedError, requestOf, type Session } from './session.js';

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
  onResult: (result: ProbeResult) => Promise<void> = async () => {},
): Promise<RunResult> {
  await session.read('crypto.networks', (corridor, options) => corridor.crypto.networks(options));
  const results: ProbeResult[] = [];
  const problems: string[] = [];
  // Probes that share a request fail with the same error.
  const failures = new Set<unknown>();
  let { responses } = session;
  for (const probe of probes) {
    const { row, question, settings = [], isSample = false } = probe;
    const { conclusion, problem, connectionError }: Outcome =
      failures.size < maxFailures
        ? await runProbe(session, probe)
        : { conclusion: notTestable('the platform does not respond') };
    session.signal.throwIfAborted();
    if (session.responses > responses) failures.clear();
    if (connectionError !== undefined) failures.add(connectionError);
    ({ responses } = session);
    if (problem !== undefined) problems.push(`${row} ${problem}`);
    const result = { row, question, settings, isSample, ...conclusion };
    results.push(result);
    await onResult(result);
  }
  const [problem] = problems;
  return { results: results.toSorted((one, other) => numberOf(one) - numberOf(other)), problem };
}

const numberOf = ({ row }: ProbeResult): number => Number(row.slice('A-'.length));

interface Outcome {
  readonly conclusion: Conclusion;
  /** Why the probe has no conclusion, if the platform or the probe failed. */
  readonly problem?: string;
  /** The error, if there was no response. */
  readonly connectionError?: unknown;
}

async function runProbe(session: Session, probe: Probe): Promise<Outcome> {
  const missing = (probe.needs ?? []).filter((permission) => !session.settings.permissions.has(permission));
  if (missing.length > 0)
    return {
      conclusion: notTestable(
        `needs ${missing.map((permission) => (permission === 'writes' ? '--allow-writes' : `--${permission}`)).join(' and ')}`,
      ),
    };
  try {
    return { conclusion: await probe.run(session) };
  } catch (error) {
    return describeFailure(error);
  }
}

function describeFailure(error: unknown): Outcome {
  if (error instanceof PaymentsStoppedError) return { conclusion: notTestable(error.message) };
  if (error instanceof ApiError) {
    const description = [`status ${error.status}`, ...requestOf(error.requestId)].join(', ');
    const isFailure = error instanceof ServerError;
    return {
      conclusion: notTestable(`the platform responded with ${description}`),
      ...(isFailure && { problem: `failed with ${description}` }),
    };
  }
  // The message of another error could contain data of the platform.
  const name = error instanceof Error ? error.name : typeof error;
  const description = error instanceof CorridorError ? `${name} (${error.code})` : `${name}; please report it`;
  return {
    conclusion: notTestable(`the probe failed: ${description}`),
    problem: `failed: ${description}`,
    ...((error instanceof ConnectionError || error instanceof TimeoutError) && { connectionError: error }),
  };
}
