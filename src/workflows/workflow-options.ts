import { custom, numberFrom, optionsObject, type OptionsShape } from '../contract/options.js';
import { memoize, type Schema } from '../contract/schema/schema.js';
import { maxTimerDelay, requestOptionsShape, type RequestOptions } from '../transport/request/request-options.js';

/** Defines the options of a workflow: its own, and those of a request. `rule` says what the options as a whole must be. */
export function defineOptions<T extends RequestOptions>(
  rule: string,
  buildShape: () => OptionsShape<Omit<T, keyof RequestOptions>>,
  isValid?: (options: T) => boolean,
): Schema<T> {
  return memoize(() =>
    optionsObject({ ...requestOptionsShape(), ...buildShape() } as OptionsShape<T>, { rule }, isValid),
  );
}

/** Creates the schema of an option that the workflow validates itself. */
export function unchecked<T>(): ReturnType<Schema<T>> {
  return custom(() => true, {});
}

/** The schema of a delay in milliseconds. */
export const delayOption: Schema<number> = memoize(() => numberFrom(1, maxTimerDelay, ' of milliseconds'));

/** The schema of a window in milliseconds, which can be longer than a timer can wait. */
export const timeWindow: Schema<number> = memoize(() => numberFrom(0, undefined, ' of milliseconds'));
