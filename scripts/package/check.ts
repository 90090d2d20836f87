import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  contentProblems,
  linkProblems,
  manifestProblems,
  noticeProblems,
  noticesPath,
  type Manifest,
} from './contents.ts';
import { packageEntries } from './entries.ts';
import { packedPaths } from './packed.ts';

// Checks the published files: only the build, the guides, the examples and what they link to, and every file that an
// entry refers to.
const root = fileURLToPath(new URL('../..', import.meta.url));
const documents = [
  'docs/openapi.json',
  'docs/scenario.schema.json',
  'package.json',
  'README.md',
  'AGENTS.md',
  'LICENSE',
  'CHANGELOG.md',
  noticesPath,
  ...globSync('examples/*.ts', { cwd: root }).map((path) => path.replace(/\.ts$/, '.js')),
];

const files = packedPaths().map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }));
const paths = new Set(files.map(({ path }) => path));
const needed = [
  ...documents,
  ...packageEntries.flatMap(({ files: { import: modern, require: classic } }) =>
    [modern.types, modern.default, classic.types, classic.default].map((path) => path.replace(/^\.\//, '')),
  ),
];
const problems = [
  ...contentProblems(files),
  ...linkProblems(files),
  ...noticeProblems(files, files.find(({ path }) => path === noticesPath)?.text ?? ''),
  ...manifestProblems(JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Manifest),
  ...needed.filter((path) => !paths.has(path)).map((path) => `${path} is not in the package`),
];
for (const problem of problems) console.error(problem);
console.log(`${files.length} files in the package`);
if (problems.length > 0) process.exitCode = 1;
