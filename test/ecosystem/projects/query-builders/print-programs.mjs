import { mkdir, readFile, writeFile } from 'node:fs/promises';

// Writes the programs of the guide, each under the name in its first line.
const guide = await readFile(new URL('node_modules/corridor-sdk/docs/query-builders.md', import.meta.url), 'utf8');
const programs = [...guide.matchAll(/^```typescript\n(\/\/ (\S+)\n.*?)^```/gms)];
if (programs.length !== 4) throw new Error(`the guide has ${programs.length} programs instead of 4`);
await mkdir(new URL('out/', import.meta.url), { recursive: true });
for (const [, text, name] of programs) await writeFile(new URL(`out/${name}`, import.meta.url), text);
