import type { OptionsShape } from '../../contract/options.js';
import type { Schema } from '../../contract/schema/schema.js';
import type { RequestOptions } from '../../transport/request/request-options.js';
import type { UnknownStatus } from '../known-statuses.js';
import { defineOptions, delayOption, unchecked } from '../workflow-options.js';

/** The options of `waitForStatus`. */
export interface WaitOptions<Status extends string> extends RequestOptions {
  /**
   * The statuses to wait for; the first one that is reached ends the wait. Pass `{ status, unknown: true }` for a status
   * that this version of the SDK does not know.
   */
  readonly until: readonly (Status | UnknownStatus)[];
  /**
   * The longest wait, in milliseconds. The last poll, and reading the activity of a customer, can take up to two
   * seconds longer. `totalTimeout` applies to each request.
   */
  readonly maxWait: number;
  /**
   * The delay between two polls, in milliseconds. It doubles while the status does not change, up to 30 seconds.
   * @default 2_000
   */
  readonly pollInterval?: number | undefined;
}

/** Defines the options of a wait: those of all waits, and its own. */
export function defineWaitOptions<T extends WaitOptions<string>>(
  buildShape: () => OptionsShape<Omit<T, keyof WaitOptions<string>>>,
): Schema<T> {
  return defineOptions<T>(
    "must be an object with until and maxWait, such as { until: ['APPROVED'], maxWait: 60_000 }",
    () =>
      ({
        until: unchecked(),
        maxWait: delayOption(),
        pollInterval: delayOption(),
        ...buildShape(),
      }) as unknown as OptionsShape<Omit<T, keyof RequestOptions>>,
    ({ maxWait }) => maxWait !== undefined,
  );
}
