import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fixture } from '../fixture.ts';
import { run, Worker } from '../harness.ts';

/** What a step adds for all organizations of a process. */
export interface OrganizationStep {
  readonly step: string;
  /** What JavaScript keeps, and the memory of the process, in bytes. */
  readonly heap: number;
  readonly memory: number;
  readonly files: number;
  /** Those that are open after the step. */
  readonly sockets: number;
}

/** The cost of many organizations in one process. */
export interface OrganizationCosts {
  readonly organizations: number;
  readonly steps: readonly OrganizationStep[];
}

export async function organizations(fixture: Fixture, count: number): Promise<OrganizationCosts> {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-bench-'));
  const server = new Worker('export-server.ts', [fixture.pageFile, '100', 'even', '0']);
  try {
    const { port } = (await server.ready) as { readonly port: number };
    const parameters = [`http://127.0.0.1:${port}`, folder, String(count)];
    const steps = await run<OrganizationStep[]>('programs/organizations.ts', parameters, ['--expose-gc']);
    return { organizations: count, steps };
  } finally {
    server.stop();
    rmSync(folder, { recursive: true });
  }
}
