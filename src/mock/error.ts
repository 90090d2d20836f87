const brand = Symbol.for('corridor-sdk.mock-error');

/**
 * A misuse of the mock platform in a test: a record that breaks the contract, a status change that its table does not allow,
 * a snapshot of something else. The mock's answers to requests are never thrown; this is for whoever writes the test.
 */
export class MockPlatformError extends Error {
  /** Always `MockPlatformError`. */
  override readonly name = 'MockPlatformError';
  /** Tells errors of a mock, over copies of the package. @internal */
  readonly [brand] = true;
  #seed: string | undefined;

  /** Whether a value is an error of a mock, of this or another copy of the package: in CommonJS every entry is a copy of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== MockPlatformError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && brand in value;
  }

  /** The seed of the platform, which the message tells, too; undefined where the error does not depend on its data. */
  get seed(): string | undefined {
    return this.#seed;
  }

  /** Tells the seed of the platform, once. @internal */
  static tell(seed: string, error: unknown): unknown {
    if (typeof error !== 'object' || error === null || !(#seed in error) || error.#seed !== undefined) return error;
    const { message, stack } = error;
    error.#seed = seed;
    error.message = `${message} (seed ${seed})`;
    if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
    return error;
  }
}

/** Does something with a platform: what is thrown tells its seed, with which it can be repeated. */
export function seeded<Result>(seed: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw MockPlatformError.tell(seed, error);
  }
}

/** The same functions, whose errors tell the seed. */
export function allSeeded<Door extends object>(seed: string, door: Door): Door {
  const wrapped = Object.entries(door).map(([name, act]: [string, unknown]) =>
    [name, typeof act === 'function' ? (...given: readonly unknown[]) => seeded(seed, (): unknown => Reflect.apply(act, door, given)) : act],
  );
  return Object.fromEntries(wrapped) as Door;
}
