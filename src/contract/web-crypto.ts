/** Returns the runtime's Web Crypto. jsdom hides that of Node in Jest: its own has no `subtle`, and may have no `randomUUID`. */
export function webCrypto(): Crypto {
  const { crypto, process } = globalThis as {
    readonly crypto?: Partial<Crypto>;
    readonly process?: { readonly getBuiltinModule?: (id: string) => { readonly webcrypto: Crypto } | undefined };
  };
  const isComplete = crypto?.subtle !== undefined && crypto.randomUUID !== undefined;
  return (isComplete ? undefined : process?.getBuiltinModule?.('node:crypto')?.webcrypto) ?? (crypto as Crypto);
}
