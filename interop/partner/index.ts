import type { Signer } from './signing.ts';
import type { World } from './world.ts';

/** What the partner's program does, told without its generated client: that is compiled by itself, as strictly as it can be. */
export interface Program {
  connect(signer: Signer & { readonly baseUrl: string }): void;
  /** From now on requests are not signed. */
  disconnect(): void;
  /** Makes each of the 14 calls, and fails where one does not do what it should. */
  completeAllCalls(world: World): Promise<void>;
  readCustomer(id: string): Promise<{ readonly status: number | undefined; readonly code: string | undefined; readonly customer: { readonly id: string; readonly status: string } | undefined }>;
}

/** Loads the program. Its path is not written where the compiler would follow it. */
export async function loadProgram(): Promise<Program> {
  const { href } = new URL('program.ts', import.meta.url);
  return ((await import(href)) as { readonly program: Program }).program;
}
