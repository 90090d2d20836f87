/**
 * Returns the runtime's Web Crypto. jsdom hides that of Node in Jest: its own has no `subtle`, and may have no
 * `randomUUID`.
 */
export function webCrypto(): Crypto {
  const { crypto, process } = globalThis as {
    readonly crypto?: Partial<Crypto>;
    readonly process?: { readonly getBuiltinModule?: (id: string) => { readonly webcrypto: Crypto } | undefined };
  };
  const isComplete = crypto?.subtle !== undefined && crypto.randomUUID !== undefined;
  return (isComplete ? undefined : process?.getBuiltinModule?.('node:crypto')?.webcrypto) ?? (crypto as Crypto);
}

/** Returns the SHA-256 of a string in UTF-8, in lowercase hex. */
export async function sha256(text: string, { subtle }: Pick<Crypto, 'subtle'> = webCrypto()): Promise<string> {
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
