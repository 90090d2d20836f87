/** Returns the runtime's Web Crypto. jsdom hides that of Node in Jest: its own has no `subtle`. */
export function webCrypto(): Crypto {
  const { crypto, process } = globalThis as {
    readonly crypto?: Partial<Crypto>;
    readonly process?: { readonly getBuiltinModule?: (id: string) => { readonly webcrypto: Crypto } | undefined };
  };
  const own = crypto?.subtle === undefined ? process?.getBuiltinModule?.('node:crypto')?.webcrypto : undefined;
  return own ?? (crypto as Crypto);
}
