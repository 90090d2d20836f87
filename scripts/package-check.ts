import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { contentProblems, manifestProblems, type Manifest } from './package-contents.ts';
import { packageEntries } from './package-entries.ts';

// What would be published: nothing but the build, the OpenAPI document and four papers, and every file that an entry leads to.
const root = fileURLToPath(new URL('..', import.meta.url));
const papers = ['openapi.json', 'package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];

const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as {
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
}[];
const files = (packed?.files ?? []).map(({ path }) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }));
const paths = new Set(files.map(({ path }) => path));
const needed = [...papers, ...packageEntries.flatMap(({ files: { import: modern, require: classic } }) => [modern.types, modern.default, classic.types, classic.default].map((path) => path.replace(/^\.\//, '')))];
const problems = [
  ...contentProblems(files),
  ...manifestProblems(JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Manifest),
  ...needed.filter((path) => !paths.has(path)).map((path) => `${path} is not in the package`),
];
for (const problem of problems) console.error(problem);
console.log(`${files.length} files, ${Math.round((packed?.size ?? 0) / 1024)} kB packed`);
if (problems.length > 0) process.exitCode = 1;
