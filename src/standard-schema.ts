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
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** What a check gives: the value, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[] };
