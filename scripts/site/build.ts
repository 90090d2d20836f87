import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, type DeclarationReflection, JSX, KindRouter, PageEvent, type ProjectReflection, ReflectionKind, type Reflection, type TranslatedString, TypeDocReader } from 'typedoc';
import { contents } from './contents.ts';
import { brokenLinksIn } from './link-check.ts';
import { llmsList, llmsText, markdownPath } from './llms.ts';
import { localLinks } from './local-links.ts';
import { linkNames, namesOf, unlinkedCalls } from './names.ts';
import { stage } from './stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const site = `${root}.cache/site`;
const pages = contents(root);
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const groups = [...new Set(pages.map(({ group }) => group))];

const { readme, documents } = stage(root, `${root}.cache/site-source`);
const app = await Application.bootstrap(
  { options: `${root}typedoc.json`, readme, projectDocuments: [...documents], out: site, groupOrder: [...groups, 'API', '*'] },
  [new TypeDocReader()],
);

/** Names the pages of documents after their files. */
class DocumentRouter extends KindRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    if (!reflection.isDocument()) return super.getIdealBaseName(reflection);
    const file = reflection.project.files.getReflectionPath(reflection) ?? reflection.name;
    const path = posix.relative(`${root}.cache/site-source`, file).replace(/\.md$/, '');
    return posix.join('documents', path.replace(/^docs\//, '').replace(/^README$/, 'all-pages').replace(/\/README$/, ''));
  }
}
app.renderer.defineRouter('documents', DocumentRouter);
app.options.setValue('router', 'documents');

// The list of pages begins with its guides in view; what a reader folds stays so.
const unfolded = JSON.stringify([...groups.filter((group) => group !== 'Reference'), 'API']);
const unfold = `try { for (const group of ${unfolded}) localStorage.getItem('tsd-accordion-' + group) ?? localStorage.setItem('tsd-accordion-' + group, 'true'); } catch {}`;
app.renderer.hooks.on('head.end', () => JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html: unfold })));

const project = await app.convert();
if (project === undefined) process.exit(1);
// The members of a type without a name are told of where the type that holds it has its docstring.
const warn = app.logger.validationWarning.bind(app.logger);
app.logger.validationWarning = (message: TranslatedString): void => {
  if (!/\.__type\..*does not have any documentation$/.test(message)) warn(message);
};
app.validate(project);
nameModules(project);

const names = namesOf(project);
app.renderer.on(PageEvent.END, (page: PageEvent) => {
  const isText = page.pageKind === 'index' || page.pageKind === 'document';
  if (!isText || page.contents === undefined || app.renderer.router === undefined) return;
  const { router } = app.renderer;
  page.contents = linkNames(page.contents, names, (target: DeclarationReflection) => router.relativeUrl(page.model as Reflection, target));
});
await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);

const { description } = JSON.parse(read('package.json')) as { readonly description: string };
// As markdown, with everything that the pages lead to: whoever reads them has no repository beside.
const texts = ['README.md', 'docs/README.md', ...pages.map((page) => page.path)];
const linked = texts.flatMap((path) => localLinks(path, read(path)).map((file) => ({ path, file })));
for (const path of new Set([...texts, ...linked.map(({ file }) => file)])) {
  if (existsSync(`${root}${path}`)) cpSync(`${root}${path}`, `${site}/${markdownPath(path)}`, { recursive: true });
}
const list = llmsList(pages, description);
writeFileSync(`${site}/llms.txt`, list);
writeFileSync(`${site}/llms-full.txt`, llmsText(pages, read));

const missing = [...list.matchAll(/\]\(([^)]+)\)/g)].flatMap(([, path = '']) => (existsSync(`${site}/${path}`) ? [] : [`llms.txt: ${path} is not there`]));
const calls = unlinkedCalls(readFileSync(`${site}/documents/endpoints.html`, 'utf8')).map((call) => `docs/endpoints.md: ${call} is no call of the client`);
const dead = linked.filter(({ file }) => !existsSync(`${site}/${markdownPath(file)}`)).map(({ path, file }) => `${path}: ${file} is not there`);
const broken = [...brokenLinksIn(site), ...missing, ...dead, ...calls];
for (const line of broken) console.error(line);
if (broken.length > 0) process.exit(1);

/** Modules are named by what one imports. */
function nameModules({ children = [], groups: modules = [] }: ProjectReflection): void {
  for (const module of children) {
    if (module.kind === ReflectionKind.Module) module.name = module.name === 'index' ? 'corridor-sdk' : `corridor-sdk/${module.name}`;
  }
  for (const group of modules) if (group.title === 'Modules') group.title = 'API';
}
