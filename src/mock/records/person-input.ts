import * as z from 'zod/mini';
import { integerFrom } from '../../contract/options.js';
import { memoize, withMetadata, type Schema } from '../../contract/schema/schema.js';
import type {
  ScreeningDisposition,
  ScreeningMatch,
  ScreeningQuery,
  ScreeningRun,
  ScreeningSubject,
} from '../../contract/schema/screening.js';
import { MockPlatformError } from '../base/error.js';
import { object } from './builder.js';

/** The screening result in the input of `persons.add`. */
export interface MockScreeningInput {
  /** Fields that replace those of the generated subject. */
  readonly subject?: { readonly [Field in keyof ScreeningSubject]?: ScreeningSubject[Field] | undefined } | undefined;
  /** Fields that replace those of the generated query. */
  readonly query?: { readonly [Field in keyof ScreeningQuery]?: ScreeningQuery[Field] | undefined } | undefined;
  /** The open matches. @default one match with a politically exposed person */
  readonly openMatches?:
    | readonly { readonly [Field in keyof ScreeningMatch]?: ScreeningMatch[Field] | undefined }[]
    | undefined;
  /** The dispositions of cleared matches. @default one disposition */
  readonly previouslyCleared?:
    | readonly { readonly [Field in keyof ScreeningDisposition]?: ScreeningDisposition[Field] | undefined }[]
    | undefined;
  /** The reason why the result is read-only. @default null */
  readonly readOnlyReason?: string | null | undefined;
}

/** The input of `persons.add`. */
export interface MockPersonInput {
  /** The person's id. @default a generated id */
  readonly id?: string | undefined;
  /** The customer the person belongs to. @default a new customer */
  readonly customerId?: string | undefined;
  /** Parts that replace those of the generated screening result. */
  readonly screening?: MockScreeningInput | undefined;
  /** The screening runs, newest first, or their number. @default 3 */
  readonly runs?:
    | number
    | readonly { readonly [Field in keyof ScreeningRun]?: ScreeningRun[Field] | undefined }[]
    | undefined;
}

/** Each run is a month older than the next; more of them would have years before 0. */
const maxRuns = 10_000;

/** The schema of the parts of the input, before the contract validates the completed records. */
export const personParts: Schema<object> = memoize(() => {
  const objects = z.array(object());
  const screening = z.looseObject({
    subject: object(),
    query: object(),
    openMatches: objects,
    previouslyCleared: objects,
  });
  const runs = withMetadata(z.union([integerFrom(0, maxRuns), objects]), {
    rule: `must be an integer from 0 to ${maxRuns}, or an array of objects`,
  });
  return z.partial(z.looseObject({ screening: z.partial(screening), runs }));
});

/** Throws `MockPlatformError` if the input sets the count of the runs, which is computed. */
export function requireNoCount(call: string, screening: object): void {
  if ('historyCount' in screening)
    throw new MockPlatformError(
      `${call}: screening.historyCount is always the number of runs and cannot be set. Pass runs instead.`,
    );
}
