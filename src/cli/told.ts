/** What is printed of an error. */
export interface Told {
  readonly headline: string;
  /** More lines about it. */
  readonly details: readonly string[];
  /** What to do. */
  readonly advice: readonly string[];
  /** The same for programs. */
  readonly fields: object;
}
