import type { Dialect, EndpointName } from '../../index.js';
import type { ErrorStatuses, MeasuredBehavior, TransitionOverrides } from '../../mock/index.js';
import type { Session } from './session.js';
import type { Permission } from './settings.js';

/** The verdict about an assumption. */
export type Verdict = 'confirmed' | 'contradicted' | 'not testable';

/** The settings of the client and of the mock that match the platform. */
export interface Finding {
  readonly dialect?: Dialect;
  readonly behavior?: MeasuredBehavior;
}

/** A setting that a probe measures, as a path in `corridor.platform.json`; the last part is a key of the setting. */
export type SettingPath =
  | `dialect.${keyof Dialect}`
  | `behavior.${keyof MeasuredBehavior}`
  | `behavior.successStatuses.${EndpointName}`
  | `behavior.errorStatuses.${keyof ErrorStatuses}`
  | `behavior.transitions.${keyof TransitionOverrides}`;

/** What a probe concluded. Its texts contain request ids, counts and statuses, but neither personal data nor keys. */
export interface Conclusion {
  readonly verdict: Verdict;
  /** What was observed; the reason if the assumption is not testable. */
  readonly evidence: string;
  /** What it means for the partner, if the assumption is contradicted. */
  readonly meaning?: string;
  /** The settings that differ from the defaults. */
  readonly finding?: Finding;
  /** The settings that this run measured, if they are not those of the probe. */
  readonly settings?: readonly SettingPath[];
}

/** A test of one question in docs/assumptions.md. */
export interface Probe {
  /** The row, such as `A-11`. */
  readonly row: string;
  /** The question, as in the table and in `platform.assumptions()`. */
  readonly question: string;
  /** What it needs besides reads. */
  readonly needs?: readonly Permission[];
  /** The settings that it measures. */
  readonly settings?: readonly SettingPath[];
  /** Whether it sees samples only, so that a contradiction that is absent from a later run is no change. */
  readonly isSample?: boolean;
  run(session: Session): Conclusion | Promise<Conclusion>;
}

/** The conclusion of a probe, with the question. */
export interface ProbeResult extends Conclusion, Pick<Probe, 'row' | 'question'> {
  /** The settings that were measured. */
  readonly settings: readonly SettingPath[];
  readonly isSample: boolean;
}

/** Returns the key of a result in `corridor.platform.json`. */
export const keyOf = ({ row, question }: Pick<Probe, 'row' | 'question'>): string => `${row}: ${question}`;

/** Concludes that the assumption holds. */
export const confirmed = (evidence: string): Conclusion => ({ verdict: 'confirmed', evidence });

/** Concludes that the assumption does not hold. */
export const contradicted = (evidence: string, meaning: string, finding?: Finding): Conclusion => ({
  verdict: 'contradicted',
  evidence,
  meaning,
  ...(finding !== undefined && { finding }),
});

/** Concludes that the assumption does not hold, without a measured value: that of an earlier run is kept. */
export const contradictedWithoutValue = (evidence: string, meaning: string): Conclusion => ({
  ...contradicted(evidence, meaning),
  settings: [],
});

/** Concludes that this run cannot test the assumption. */
export const notTestable = (reason: string): Conclusion => ({ verdict: 'not testable', evidence: reason });
