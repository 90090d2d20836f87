import { signerOf, type Signer } from './keys.js';
import { sha256 } from './sha256.js';

/** How many keys are shared at most. */
const most = 16;

// By a digest and, once imported, weakly: neither a key's text nor the key itself is kept any longer than by the clients that use it.
const signers = new Map<string, Promise<Signer> | WeakRef<Signer>>();

/** A signer for a key given as text, the same for all clients of the process that are given it: the key is imported and checked once. */
export async function sharedSigner(key: string): Promise<Signer> {
  // Some runtimes have no weak references.
  if (typeof WeakRef === 'undefined') return signerOf(key);
  const digest = await sha256(key);
  const known = signers.get(digest);
  const signer = known instanceof WeakRef ? known.deref() : known;
  return signer ?? share(digest, signerOf(key));
}

async function share(digest: string, made: Promise<Signer>): Promise<Signer> {
  if (signers.size >= most) forget();
  signers.set(digest, made);
  try {
    const signer = await made;
    signers.set(digest, new WeakRef(signer));
    return signer;
  } catch (error) {
    signers.delete(digest);
    throw error;
  }
}

/** Drops what nobody uses any more; where all are used, the one that was there first. */
function forget(): void {
  for (const [digest, signer] of signers) if (signer instanceof WeakRef && signer.deref() === undefined) signers.delete(digest);
  const [first] = signers.size >= most ? signers.keys() : [];
  if (first !== undefined) signers.delete(first);
}
