import {
  boolean,
  id,
  integer,
  sensitiveString,
  string,
  timestamp,
  memoize,
  array,
  nullable,
  optional,
  requestObject,
  strictObject,
  nullish,
  type Schema,
} from './schema.js';
import { cursor, limit } from './page.js';

/** The filters of `screening.history`. */
export interface ScreeningHistoryParams {
  /** The page size, 1 to 100; 25 by default. */
  readonly limit?: number | undefined;
  /** The position to continue from: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** The screened person and the consequences of the result. */
export interface ScreeningSubject {
  /** The subject's id. */
  readonly subjectId: string;
  /** The entity behind the subject. */
  readonly entityId: string;
  /** The person's name. */
  readonly displayName: string;
  /** The customer the person belongs to. */
  readonly customerId: string;
  /** The customer's name. */
  readonly customerName: string;
  /** The beneficiary the person belongs to. */
  readonly beneficiaryId: string;
  /** Whether payments are held because of the result. */
  readonly paymentHold: boolean;
  /** Whether onboarding is blocked because of the result. */
  readonly onboardingBlocked: boolean;
  /** The number of open matches. */
  readonly openMatchCount: number;
  /** When the person was last screened. */
  readonly lastScreenedAt: string;
  /** When the next screening is due. */
  readonly nextDueAt: string;
}

/** A property used in the search. */
export interface ScreeningProperty {
  /** Its display name. */
  readonly label: string;
  /** Its key. */
  readonly key: string;
  /** Its values. */
  readonly values: readonly string[];
}

/** The parameters of the search. */
export interface ScreeningQuery {
  /** The properties used. */
  readonly properties: readonly ScreeningProperty[];
  /** The algorithm. */
  readonly algorithm: string;
  /** The minimum score of a match. */
  readonly threshold: string;
  /** The topics that were searched. */
  readonly topicsScope: readonly string[];
  /** The data sets that were searched. */
  readonly datasetScope: string;
  /** The version of the data. */
  readonly dataVersion: string;
}

/** A compared feature of a match. */
export interface ScreeningFeature {
  /** Its key. */
  readonly key: string;
  /** Its display name. */
  readonly label: string;
  /** The similarity score. */
  readonly score: string;
  /** The value of the screened person. */
  readonly matchedValue: string;
  /** The value of the matched entity. */
  readonly candidateValue: string;
  /** A note. */
  readonly note: string;
}

/** A piece of evidence for a match. */
export interface ScreeningEvidence {
  /** Its display name. */
  readonly label: string;
  /** Its values. */
  readonly values: readonly string[];
  /** Whether to display it at full width. */
  readonly fullWidth: boolean;
}

/** A reviewer's decision on a match. */
export interface ScreeningDisposition {
  /** The decision's id. */
  readonly id: string;
  /** The entity that was matched. */
  readonly osEntityId: string;
  /** The reason. */
  readonly reason: string;
  /** The id of the reviewer. */
  readonly reviewedByUserId: string;
  /** The name of the reviewer. */
  readonly reviewedByDisplayName: string;
  /** When it was decided. */
  readonly reviewedAt: string;
  /** The topics of the entity at that time. */
  readonly topicsAtDecision: readonly string[];
}

/** A match that is still open. */
export interface ScreeningMatch {
  /** The match's id. */
  readonly matchId: string;
  /** The entity that was matched. */
  readonly osEntityId: string;
  /** The entity's name. */
  readonly caption: string;
  /** The kind of entity. */
  readonly schema: string;
  /** The similarity score, as a decimal string. */
  readonly score: string;
  /** Whether it counts as a match. */
  readonly isMatch: boolean;
  /** The entity's topics. */
  readonly topics: readonly string[];
  /** The data sets that contain it. */
  readonly datasets: readonly string[];
  /** Its other names. */
  readonly aliases: readonly string[];
  /** The compared features. */
  readonly features: readonly ScreeningFeature[];
  /** The evidence. */
  readonly evidence: readonly ScreeningEvidence[];
  /** The reviewer's decision; absent or null if undecided. */
  readonly disposition?: ScreeningDisposition | null;
  /** When the match was found. */
  readonly createdAt: string;
}

/** The screening result of a person. */
export interface PersonScreening {
  /** The screened person and the consequences of the result. */
  readonly subject: ScreeningSubject;
  /** The parameters of the search. */
  readonly query: ScreeningQuery;
  /** The open matches. */
  readonly openMatches: readonly ScreeningMatch[];
  /** The matches that were cleared earlier. */
  readonly previouslyCleared: readonly ScreeningDisposition[];
  /** The number of runs in the history. */
  readonly historyCount: number;
  /** The reason if the screening is read-only, otherwise null. */
  readonly readOnlyReason: string | null;
}

/** One run of a person's screening. */
export interface ScreeningRun {
  /** The run's id. */
  readonly screeningId: string;
  /** The number of matches found. */
  readonly matchCount: number;
  /** The version of the data. */
  readonly dataVersion: string;
  /** When it ran. */
  readonly createdAt: string;
  /** The error message, if the run failed. */
  readonly errorMessage: string;
}

/** The filters of the screening history. */
export const screeningHistoryParams: Schema<ScreeningHistoryParams> = memoize(() =>
  requestObject<ScreeningHistoryParams>({ limit: optional(limit()), cursor: optional(cursor()) }),
);

const disposition = memoize(() =>
  strictObject<ScreeningDisposition>({
    id: id(),
    osEntityId: string(),
    reason: string(),
    reviewedByUserId: string(),
    reviewedByDisplayName: sensitiveString(),
    reviewedAt: timestamp(),
    topicsAtDecision: array(string()),
  }),
);

const match = memoize(() =>
  strictObject<ScreeningMatch>({
    matchId: id(),
    osEntityId: string(),
    caption: sensitiveString(),
    schema: string(),
    score: string(),
    isMatch: boolean(),
    topics: array(string()),
    datasets: array(string()),
    aliases: array(sensitiveString()),
    features: array(
      strictObject<ScreeningFeature>({
        key: string(),
        label: string(),
        score: string(),
        matchedValue: sensitiveString(),
        candidateValue: sensitiveString(),
        note: string(),
      }),
    ),
    evidence: array(
      strictObject<ScreeningEvidence>({ label: string(), values: array(sensitiveString()), fullWidth: boolean() }),
    ),
    // Assumed: A-24, an undecided open match has no disposition.
    disposition: nullish(disposition()),
    createdAt: timestamp(),
  }),
);

/** The screening result of a person. */
export const personScreening: Schema<PersonScreening> = memoize(() =>
  strictObject<PersonScreening>({
    subject: strictObject<ScreeningSubject>({
      subjectId: id(),
      entityId: string(),
      displayName: sensitiveString(),
      customerId: id(),
      customerName: sensitiveString(),
      beneficiaryId: string(),
      paymentHold: boolean(),
      onboardingBlocked: boolean(),
      openMatchCount: integer(),
      lastScreenedAt: timestamp(),
      nextDueAt: timestamp(),
    }),
    query: strictObject<ScreeningQuery>({
      properties: array(
        strictObject<ScreeningProperty>({ label: string(), key: string(), values: array(sensitiveString()) }),
      ),
      algorithm: string(),
      threshold: string(),
      topicsScope: array(string()),
      datasetScope: string(),
      dataVersion: string(),
    }),
    openMatches: array(match()),
    previouslyCleared: array(disposition()),
    historyCount: integer(),
    readOnlyReason: nullable(string()),
  }),
);

/** One run of a person's screening. */
export const screeningRun: Schema<ScreeningRun> = memoize(() =>
  strictObject<ScreeningRun>({
    screeningId: id(),
    matchCount: integer(),
    dataVersion: string(),
    createdAt: timestamp(),
    errorMessage: string(),
  }),
);
