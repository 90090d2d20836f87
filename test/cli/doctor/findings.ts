import { expect } from 'vitest';
import { corridor } from '../corridor.ts';

export interface Finding {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly remedy?: string;
}

/** Returns the result of each check of doctor, by name. */
export async function findings(
  environment: Readonly<Record<string, string>>,
  preload?: './preload/fixed-clock.ts',
): Promise<{ readonly code: number | null; readonly of: Readonly<Record<string, Finding>> }> {
  const { code, output } = await corridor(['doctor', '--json'], { environment, ...(preload && { preload }) });
  const { ok, findings: list } = JSON.parse(output) as { readonly ok: boolean; readonly findings: readonly Finding[] };
  expect(code).toBe(ok ? 0 : 1);
  return { code, of: Object.fromEntries(list.map((result) => [result.check, result])) };
}
