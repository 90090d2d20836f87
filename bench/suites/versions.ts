import { nodeVersions, onNode, type Figure } from '../harness.ts';
import type { Fixture } from '../fixture.ts';
import { pageCheck } from './pages.ts';
import { requests, type RequestRatio } from './requests.ts';

/** Requests and pages on one version of Node. */
export interface VersionRow {
  readonly node: string;
  readonly requests: readonly RequestRatio[];
  /** `JSON.parse` and check of a page over `JSON.parse` alone. */
  readonly page: Figure;
}

export async function versions(fixture: Fixture, rounds: number): Promise<VersionRow[]> {
  const rows: VersionRow[] = [];
  for (const node of nodeVersions)
    rows.push(
      await onNode(node, async () => {
        const { ratios } = await requests(fixture, { rounds, milliseconds: 400 });
        const { repeated } = await pageCheck(fixture, { rounds: 60, processes: 0 });
        return { node, requests: ratios, page: repeated };
      }),
    );
  return rows;
}
