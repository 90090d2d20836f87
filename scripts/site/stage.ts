import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { contents, type Page } from './contents.ts';
import { localLinks } from './local-links.ts';

const testsPage = 'test/README.md';

/** A file as the site gets it. */
export interface StagedFile {
  readonly path: string;
  readonly text: string;
}

/** The pages of the site: the documents with their titles and groups, and a page of code for each TypeScript file they lead to. */
export function stagedPages(pages: readonly Page[], read: (path: string) => string): StagedFile[] {
  const linked = [...new Set(pages.flatMap(({ path }) => codeLinks(path, read(path))))].toSorted();
  const examples = linked.filter((path) => path.startsWith('examples/'));
  const tests = linked.filter((path) => !path.startsWith('examples/'));
  const documents = pages.map(({ path, title, group }) => {
    const children = path === 'examples/README.md' ? examples : [];
    return { path, text: `${frontmatter({ title, group }, path, children)}${markdownLinks(read(path))}` };
  });
  const list = tests.map((path) => `- [${path}](${posix.relative('test', path)})`).join('\n');
  const proofs = { path: testsPage, text: `${frontmatter({ title: 'Tests', group: 'Reference' }, testsPage, tests)}# Tests\n\nThe tests that other pages name.\n\n${markdownLinks(list)}\n` };
  const code = linked.map((path) => ({ path: markdownOf(path), text: `${frontmatter({ title: posix.basename(path) }, path, [])}# ${posix.basename(path)}\n\n\`${path}\`\n\n\`\`\`ts\n${read(path)}\`\`\`\n` }));
  return [...documents, ...(tests.length === 0 ? [] : [proofs]), ...code];
}

/** Writes the pages into a folder of their own, and gives the paths of those that stand at the top. */
export function stage(root: string, folder: string): { readonly readme: string; readonly documents: readonly string[] } {
  const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
  const pages = contents(root);
  const staged = stagedPages(pages, read);
  const readme = { path: 'README.md', text: markdownLinks(read('README.md').replace(/^# .+\n+/, '')) }; // the project's name stands above it already
  const guides = { path: 'docs/README.md', text: `${frontmatter({ title: 'All pages', group: 'Start' }, 'docs/README.md', [])}${markdownLinks(read('docs/README.md'))}` };
  rmSync(folder, { recursive: true, force: true });
  for (const { path, text } of [readme, guides, ...staged]) {
    mkdirSync(posix.dirname(`${folder}/${path}`), { recursive: true });
    writeFileSync(`${folder}/${path}`, text);
  }
  for (const file of otherFiles(pages, read)) if (existsSync(`${root}${file}`)) cpSync(`${root}${file}`, `${folder}/${file}`);
  const top = ['docs/README.md', ...pages.map(({ path }) => path), testsPage].map((path) => `${folder}/${path}`);
  return { readme: `${folder}/README.md`, documents: top.filter((path) => existsSync(path)) };
}

function frontmatter(fields: Readonly<Record<string, string>>, path: string, children: readonly string[]): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const files = children.map((child) => `  - ${JSON.stringify(posix.relative(posix.dirname(path), markdownOf(child)))}`);
  return ['---', ...lines, ...(files.length === 0 ? [] : ['children:', ...files]), '---', '', ''].join('\n');
}

const markdownOf = (path: string): string => path.replace(/\.ts$/, '.md');

const markdownLinks = (text: string): string => text.replaceAll(/(\]\((?!https?:)[^)#\s]+)\.ts\)/g, '$1.md)');

/** What pages lead to or show that is neither a page nor code: images, data. */
function otherFiles(pages: readonly Page[], read: (path: string) => string): Set<string> {
  return new Set(['README.md', ...pages.map(({ path }) => path)].flatMap((path) => localLinks(path, read(path)).filter((file) => !/\.(?:md|ts)$/.test(file))));
}

function codeLinks(path: string, text: string): string[] {
  return localLinks(path, text).filter((file) => file.endsWith('.ts'));
}
