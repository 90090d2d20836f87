import type { Signer } from './signing.ts';
import type { Fixture } from './fixture.ts';

/**
 * The partner's program without the types of its generated client, which is compiled separately, as strictly as
 * possible.
 */
export interface Program {
  connect(signer: Signer & { readonly baseUrl: string }): void;
  /** From now on requests are not signed. */
  disconnect(): void;
  /** Makes each of the 14 calls, and fails if one returns something unexpected. */
  completeAllCalls(fixture: Fixture): Promise<void>;
  readCustomer(id: string): Promise<{
    readonly status: number | undefined;
    readonly code: string | undefined;
    readonly customer: { readonly id: string; readonly status: string } | undefined;
  }>;
}

/** Loads the program. Its path is a variable, so that the compiler does not follow it. */
export async function loadProgram(): Promise<Program> {
  const { href } = new URL('program.ts', import.meta.url);
  return ((await import(href)) as { readonly program: Program }).program;
}
