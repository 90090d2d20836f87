import type { Issue } from '../contract/check.js';

/** A request the platform refuses: thrown wherever that shows, turned into the answer at one place. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly Issue[];
  /** What stands in the header of its answer, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, message: string, issues: readonly Issue[] = [], retryAfter?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.retryAfter = retryAfter;
  }
}

/** Refuses because a record of the path is not there; one of another organization looks just the same. */
export function refuseMissing(kind: string): never {
  throw new Refusal(404, 'not_found', `there is no such ${kind}`);
}
