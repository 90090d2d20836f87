import { ApiError, CorridorError, ServerError } from '../../index.js';
import { requestOf } from '../../mock/upstream/observed-exchange.js';
import type { Observation, Question } from '../../mock/upstream/probes.js';
import type { Measurement } from './platform-file.js';
import { optionsOf, ProbeError, type Flag, type Session } from './session.js';

/** A part of a run, whose requests are about some questions of docs/assumptions.md. */
export interface Probe {
  readonly questions: readonly [Question, ...Question[]];
  /** What it needs. */
  readonly needs?: Flag;
  /** How it tests a question that other requests can confirm, too. */
  readonly about?: string | undefined;
  /**
   * Sends requests, which the evidence of the session sees. Returns what only this probe knows of its first question,
   * or the reason why its requests do not answer the others.
   */
  run(session: Session): Promise<Observation | string | void>;
}

/** The result of a question. */
export interface ProbeResult extends Measurement {
  /** What was observed; the reason if the assumption is not testable. */
  readonly evidence: string;
  /** What it means for the partner, if the assumption is contradicted. */
  readonly meaning: string | null;
  /** What it is not testable without. */
  readonly needs?: Flag | undefined;
  /** Whether it is not testable because of an error. */
  readonly isFailure: boolean;
}

/** The results of a run. */
export interface RunResult {
  /** The results, in the order of the table of assumptions. */
  readonly results: readonly ProbeResult[];
  /** Why the run is incomplete; undefined if every probe had responses. */
  readonly problem: string | undefined;
}

/** Why a probe does not answer a question. */
interface Reason extends Pick<Probe, 'about'> {
  readonly text: string;
  readonly needs?: Flag;
  readonly isFailure?: boolean;
  /** Why the run is incomplete. */
  readonly problem?: string;
}

/**
 * Runs the probes, one after another: a probe that fails stops no other, unless the run is interrupted. Throws if the
 * platform accepts no read.
 */
export async function runProbes(
  session: Session,
  probes: readonly Probe[],
  onProgress: (done: number) => Promise<void> = async () => {},
): Promise<RunResult> {
  const { evidence, signal } = session;
  await session.corridor.crypto.networks({ signal });
  const reasons = new Map<string, Reason>();
  let problem: string | undefined;
  for (const [index, probe] of probes.entries()) {
    const { questions, about } = probe;
    const before = questions.map((question) => evidence.find(question));
    const reason = await runProbe(session, probe);
    signal.throwIfAborted();
    if (reason?.problem !== undefined) problem ??= `${questions[0].key.split(':')[0]} ${reason.problem}`;
    for (const [position, question] of questions.entries())
      if (reason !== undefined && evidence.find(question) === before[position])
        reasons.set(question.key, { about, ...reason });
    await onProgress(index + 1);
  }
  const samples = new Set(
    probes.flatMap(({ questions }) => questions).flatMap(({ key, isSample }) => (isSample ? key : [])),
  );
  const results = evidence.rows.map(({ key, verdict, evidence: shown, meaning, measured }): ProbeResult => {
    const { text, needs, isFailure = false, about = 'further' } = reasons.get(key) ?? {};
    const result = { key, verdict, meaning, measured, isSample: samples.has(key), isFailure: false };
    if (verdict === 'not seen')
      return {
        ...result,
        evidence: text ?? shown ?? 'no request of this command shows it: ask the platform',
        isFailure,
        needs,
      };
    const rest = verdict === 'confirmed' && text !== undefined ? `; not tested ${about}: ${text}` : '';
    return { ...result, evidence: `${shown}${rest}` };
  });
  return { results, problem };
}

/** Runs a probe. Returns the reason if it does not answer its questions. */
async function runProbe(session: Session, { questions: [question], needs, run }: Probe): Promise<Reason | undefined> {
  if (needs !== undefined && !session.has(needs)) return { text: `needs ${optionsOf[needs]}`, needs };
  try {
    const seen = await run(session);
    if (typeof seen === 'object') session.evidence.conclude(question, seen);
    return typeof seen === 'string' ? { text: seen } : undefined;
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Reason {
  if (error instanceof ProbeError) return { text: error.message, isFailure: true };
  if (error instanceof ApiError) {
    const response = [`status ${error.status}`, ...requestOf(error.requestId)].join(', ');
    const problem = error instanceof ServerError ? { problem: `failed with ${response}` } : {};
    return { text: `the platform responded with ${response}`, isFailure: true, ...problem };
  }
  // The message of another error could contain data of the platform.
  const name = error instanceof Error ? error.name : typeof error;
  const description = error instanceof CorridorError ? `${name} (${error.code})` : `${name}; please report it`;
  return { text: `the probe failed: ${description}`, isFailure: true, problem: `failed: ${description}` };
}
