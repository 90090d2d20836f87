/** A schema of any library that follows the Standard Schema convention (zod, valibot, arktype, …). */
export interface StandardSchema<Output> {
  /** The convention's entry. */
  readonly '~standard': {
    /** The convention's version. */
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    /** Checks a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** The types, for the compiler. */
    readonly types?: StandardTypes<Output> | undefined;
  };
}

/** The types of a schema, which exist for the compiler only. */
export interface StandardTypes<Output> {
  /** What it takes. */
  readonly input: unknown;
  /** What it gives. */
  readonly output: Output;
}

/** What a check gives: the value, or what is wrong with it. */
export type StandardResult<Output> = StandardSuccess<Output> | StandardFailure;

/** What a check gives where nothing is wrong. */
export interface StandardSuccess<Output> {
  /** The value. */
  readonly value: Output;
  /** Nothing: that tells it from a failure. */
  readonly issues?: undefined;
}

/** What a check gives where something is wrong. */
export interface StandardFailure {
  /** What is wrong. */
  readonly issues: readonly StandardIssue[];
}

/** One thing that is wrong. */
export interface StandardIssue {
  /** What it is. */
  readonly message: string;
  /** Where it is. */
  readonly path?: readonly (PropertyKey | StandardPathSegment)[] | undefined;
}

/** A step of a path, as some libraries write it. */
export interface StandardPathSegment {
  /** The key. */
  readonly key: PropertyKey;
}
