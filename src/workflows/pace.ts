import { ApiError, CorridorError, InvalidRequestError, RateLimitError, type ErrorCode } from '../errors.js';

// A platform that asks for more is asked again after this long.
const longestRetryAfter = 60 * 60_000;
// An answer that is wrong so often in a row is not wrong by accident.
const mostWrongAnswers = 5;

const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['connection', 'timeout', 'rate-limit', 'server']);
const passingStatuses: ReadonlySet<number> = new Set([408, 425]);

/** How long a workflow pauses between two looks: longer and longer while nothing happens or looks fail, and short again on a change. */
export class Pace {
  readonly #shortest: number;
  readonly #longest: number;
  #pause: number | undefined;
  #wrongAnswers = 0;

  /** Both in milliseconds. */
  constructor(shortest: number, longest: number) {
    this.#shortest = shortest;
    this.#longest = Math.max(shortest, longest);
  }

  /** The pause after a look, in milliseconds. */
  after(somethingHappened: boolean): number {
    this.#wrongAnswers = 0;
    if (somethingHappened) this.#pause = undefined;
    return this.#grow();
  }

  /** The pause after a look that failed, in milliseconds; throws the error where another look would not help. */
  afterFailure(error: unknown): number {
    if (!this.#mayPass(error)) throw error;
    const asked = error instanceof RateLimitError ? (error.retryAfter ?? 0) * 1000 : 0;
    return Math.max(this.#grow(), Math.min(asked, longestRetryAfter));
  }

  #grow(): number {
    this.#pause = this.#pause === undefined ? this.#shortest : Math.min(this.#pause * 2, this.#longest);
    return this.#pause;
  }

  #mayPass(error: unknown): boolean {
    if (!(error instanceof CorridorError)) return false;
    if (passing.has(error.code) || (error instanceof ApiError && passingStatuses.has(error.status))) return true;
    if (!isWrongAnswer(error)) return false;
    this.#wrongAnswers += 1;
    return this.#wrongAnswers < mostWrongAnswers;
  }
}

// A page that is refused, where the first one was not, has an outdated cursor; the next walk begins anew.
function isWrongAnswer(error: CorridorError): boolean {
  return error.code === 'invalid-response' || error.code === 'pagination' || (error instanceof ApiError && error.cursor !== undefined && error.status !== 401 && error.status !== 403);
}

// What a timer can count.
const longestTimer = 2_147_483_647;

/** Refuses options that are no numbers of milliseconds, or that a timer cannot count. */
export function checkMilliseconds(endpoint: string, options: Readonly<Record<string, unknown>>, least = 1, most = longestTimer): void {
  const wrong = Object.entries(options).filter(([, value]) => !(typeof value === 'number' && value >= least && value <= most));
  if (wrong.length > 0) throw new InvalidRequestError(endpoint, wrong.map(([path]) => ({ path, message: `must be a number of milliseconds from ${least} to ${most}` })));
}
