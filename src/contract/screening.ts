import { flag, id, integer, sensitiveText, text, timestamp } from './field.js';
import { cursor, limit } from './page.js';
import { lazily, list, nullable, optional, record, unsure, type Schema } from './schema.js';

/** Which runs `screening.history` gives. */
export interface ScreeningHistoryQuery {
  /** How many runs a page holds, 1 to 100; 25 where absent. */
  readonly limit?: number | undefined;
  /** Where to go on: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

/** Who was screened, and what follows from it. */
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
  /** How many matches are open. */
  readonly openMatchCount: number;
  /** When the person was last screened. */
  readonly lastScreenedAt: string;
  /** When the next screening is due. */
  readonly nextDueAt: string;
}

/** One property the person was searched by. */
export interface ScreeningProperty {
  /** Its name for people. */
  readonly label: string;
  /** Its name for programs. */
  readonly key: string;
  /** Its values. */
  readonly values: readonly string[];
}

/** How the person was searched. */
export interface ScreeningQuery {
  /** By which properties. */
  readonly properties: readonly ScreeningProperty[];
  /** By which algorithm. */
  readonly algorithm: string;
  /** The score from which on a match counts. */
  readonly threshold: string;
  /** The topics that were searched. */
  readonly topicsScope: readonly string[];
  /** The data sets that were searched. */
  readonly datasetScope: string;
  /** The version of the data. */
  readonly dataVersion: string;
}

/** One thing that was compared for a match. */
export interface ScreeningFeature {
  /** Its name for programs. */
  readonly key: string;
  /** Its name for people. */
  readonly label: string;
  /** How well it fits. */
  readonly score: string;
  /** The value on our side. */
  readonly matchedValue: string;
  /** The value on the other side. */
  readonly candidateValue: string;
  /** A note. */
  readonly note: string;
}

/** One piece of evidence for a match. */
export interface ScreeningEvidence {
  /** Its name for people. */
  readonly label: string;
  /** Its values. */
  readonly values: readonly string[];
  /** Whether it wants the full width of a screen. */
  readonly fullWidth: boolean;
}

/** What a reviewer decided of a match. */
export interface ScreeningDisposition {
  /** The decision's id. */
  readonly id: string;
  /** The entity that was matched. */
  readonly osEntityId: string;
  /** Why. */
  readonly reason: string;
  /** Who decided. */
  readonly reviewedByUserId: string;
  /** The name of who decided. */
  readonly reviewedByDisplayName: string;
  /** When. */
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
  /** How well it fits, as a decimal string. */
  readonly score: string;
  /** Whether it counts as a match. */
  readonly isMatch: boolean;
  /** The entity's topics. */
  readonly topics: readonly string[];
  /** The data sets it stands in. */
  readonly datasets: readonly string[];
  /** Its other names. */
  readonly aliases: readonly string[];
  /** What was compared. */
  readonly features: readonly ScreeningFeature[];
  /** The evidence. */
  readonly evidence: readonly ScreeningEvidence[];
  /** What a reviewer decided; absent or null while nobody did. */
  readonly disposition?: ScreeningDisposition | null;
  /** When the match came up. */
  readonly createdAt: string;
}

/** The screening result of a person. */
export interface PersonScreening {
  /** Who was screened, and what follows from it. */
  readonly subject: ScreeningSubject;
  /** How the person was searched. */
  readonly query: ScreeningQuery;
  /** The matches that are open. */
  readonly openMatches: readonly ScreeningMatch[];
  /** The matches that were cleared before. */
  readonly previouslyCleared: readonly ScreeningDisposition[];
  /** How many runs the history holds. */
  readonly historyCount: number;
  /** Why nothing can be changed, where that is so. */
  readonly readOnlyReason: string | null;
}

/** One run of a person's screening. */
export interface ScreeningRun {
  /** The run's id. */
  readonly screeningId: string;
  /** How many matches it found. */
  readonly matchCount: number;
  /** The version of the data. */
  readonly dataVersion: string;
  /** When it ran. */
  readonly createdAt: string;
  /** What went wrong, where something did. */
  readonly errorMessage: string;
}

/** The filters of the screening history. */
export const screeningHistoryQuery: Schema<ScreeningHistoryQuery> = lazily(() =>
  record<ScreeningHistoryQuery>({ limit: optional(limit()), cursor: optional(cursor()) }),
);

const disposition = lazily(() =>
  record<ScreeningDisposition>({
    id: id(), osEntityId: text(), reason: text(), reviewedByUserId: text(), reviewedByDisplayName: sensitiveText(),
    reviewedAt: timestamp(), topicsAtDecision: list(text()),
  }),
);

const match = lazily(() =>
  record<ScreeningMatch>({
    matchId: id(), osEntityId: text(), caption: sensitiveText(), schema: text(), score: text(), isMatch: flag(),
    topics: list(text()), datasets: list(text()), aliases: list(sensitiveText()),
    features: list(record<ScreeningFeature>({
      key: text(), label: text(), score: text(), matchedValue: sensitiveText(), candidateValue: sensitiveText(), note: text(),
    })),
    evidence: list(record<ScreeningEvidence>({ label: text(), values: list(sensitiveText()), fullWidth: flag() })),
    // Assumed: A-24, an open match that nobody decided yet has no disposition.
    disposition: unsure(disposition()),
    createdAt: timestamp(),
  }),
);

/** The screening result of a person. */
export const personScreening: Schema<PersonScreening> = lazily(() =>
  record<PersonScreening>({
    subject: record<ScreeningSubject>({
      subjectId: id(), entityId: text(), displayName: sensitiveText(), customerId: id(), customerName: sensitiveText(),
      beneficiaryId: text(), paymentHold: flag(), onboardingBlocked: flag(), openMatchCount: integer(),
      lastScreenedAt: timestamp(), nextDueAt: timestamp(),
    }),
    query: record<ScreeningQuery>({
      properties: list(record<ScreeningProperty>({ label: text(), key: text(), values: list(sensitiveText()) })),
      algorithm: text(), threshold: text(), topicsScope: list(text()), datasetScope: text(), dataVersion: text(),
    }),
    openMatches: list(match()),
    previouslyCleared: list(disposition()),
    historyCount: integer(),
    readOnlyReason: nullable(text()),
  }),
);

/** One run of a person's screening. */
export const screeningRun: Schema<ScreeningRun> = lazily(() =>
  record<ScreeningRun>({
    screeningId: id(), matchCount: integer(), dataVersion: text(), createdAt: timestamp(), errorMessage: text(),
  }),
);
