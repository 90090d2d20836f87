import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Declarations of zod/mini that the types of dist name: the client contains zod's code, so that its types need no package.
// Compilers of programs that use the client load no types of zod.
const schemaType = 'interface ZodMiniType<T = unknown> { readonly _zod: { readonly output: T } }';
const importAll = "import * as z from 'zod/mini';";

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
for (const file of globSync(`${dist}/**/*.d.{ts,cts}`)) {
  const text = readFileSync(file, 'utf8');
  const own = text.replace("import 'zod/mini';\n", '').replace(importAll, `declare namespace z { ${schemaType} }`);
  const [other] = own.includes(schemaType) ? (/\bz\.(?!ZodMiniType\b)\w+/.exec(own) ?? []) : [];
  if (other !== undefined) throw new Error(`${file} names ${other}. Declare it in ${import.meta.filename}`);
  if (own !== text) writeFileSync(file, own);
}
