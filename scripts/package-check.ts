import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { packageEntries } from './package-entries.ts';

// What would be published: nothing but the build, the OpenAPI document and four papers, and every file that an entry leads to.
const root = fileURLToPath(new URL('..', import.meta.url));
const allowed = /^(?:dist\/[\w./-]+\.(?:js|cjs|d\.ts|d\.cts)|openapi\.json|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
const papers = ['openapi.json', 'package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];

const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as {
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
}[];
const files = new Set(packed?.files.map(({ path }) => path));
const needed = [...papers, ...packageEntries.flatMap(({ files: { import: modern, require: classic } }) => [modern.types, modern.default, classic.types, classic.default].map((path) => path.replace(/^\.\//, '')))];
const problems = [
  ...[...files].filter((path) => !allowed.test(path)).map((path) => `${path} does not belong in the package`),
  ...needed.filter((path) => !files.has(path)).map((path) => `${path} is not in the package`),
];
for (const problem of problems) console.error(problem);
console.log(`${files.size} files, ${Math.round((packed?.size ?? 0) / 1024)} kB packed`);
if (problems.length > 0) process.exitCode = 1;
