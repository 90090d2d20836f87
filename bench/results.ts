import type { ExportRow } from './suites/exports.ts';
import type { LongIteration, PageCheck, IterationRow } from './suites/pages.ts';
import type { RequestRatio, RequestRow } from './suites/requests.ts';
import type { FollowerRow } from './suites/followers.ts';
import type { OrganizationCosts } from './suites/organizations.ts';
import type { Fills } from './suites/fills.ts';
import type { SyncRow } from './suites/syncs.ts';
import type { AdapterRow, MockScale } from './suites/mock.ts';
import type { BundleRow, ConstructionRow, StartRow } from './suites/starts.ts';
import type { VersionRow } from './suites/versions.ts';

/** Where and when a suite was measured. */
export interface BenchRun {
  readonly node: string;
  /** The model of the processor, and the number of its cores. */
  readonly processor: string;
  /** An ISO 8601 date. */
  readonly date: string;
}

/** All that was measured. */
export interface Results {
  readonly node: string;
  /** Where and when each suite was measured; absent if that was not recorded. */
  readonly runs: { readonly [Suite in keyof Results['measured']]?: BenchRun };
  /** The CPU time of one signed token in milliseconds, to compare figures of different machines. */
  readonly token: number;
  readonly measured: {
    readonly requests: { readonly rows: readonly RequestRow[]; readonly ratios: readonly RequestRatio[] };
    readonly pageCheck: PageCheck;
    readonly iterations: readonly IterationRow[];
    readonly starts: readonly StartRow[];
    readonly bundles: readonly BundleRow[];
    readonly versions: readonly VersionRow[];
    readonly memory: LongIteration;
    readonly constructions: readonly ConstructionRow[];
    /** Absent until it is measured. */
    readonly organizations?: OrganizationCosts;
    readonly mockAdapters: readonly AdapterRow[];
    /** Absent until it is measured. */
    readonly mockScale?: MockScale;
    /** Absent from quick runs. */
    readonly exports?: readonly ExportRow[];
    /** Absent from quick runs. */
    readonly syncs?: readonly SyncRow[];
    /** Absent until they are measured. */
    readonly fills?: Fills;
    /** Absent from quick runs. */
    readonly followers?: readonly FollowerRow[];
  };
}
