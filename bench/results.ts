import type { LongWalk, PageCheck, WalkRow } from './suites/pages.ts';
import type { RequestRatio, RequestRow } from './suites/requests.ts';
import type { BundleRow, CarrierRow, ConstructionRow, StartRow } from './suites/starts.ts';

/** All that one run measured. */
export interface Results {
  readonly node: string;
  /** Milliseconds of processor that one signed token takes: by it, figures of different machines can be weighed. */
  readonly token: number;
  readonly measured: {
    readonly requests: { readonly rows: readonly RequestRow[]; readonly ratios: readonly RequestRatio[] };
    readonly pageCheck: PageCheck;
    readonly walks: readonly WalkRow[];
    readonly starts: readonly StartRow[];
    readonly bundles: readonly BundleRow[];
    readonly memory: LongWalk;
    readonly constructions: readonly ConstructionRow[];
    readonly mockCarriers: readonly CarrierRow[];
  };
}
