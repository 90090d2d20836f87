import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  Application,
  Converter,
  type DeclarationReflection,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  RendererEvent,
  type TranslatedString,
  TypeDocReader,
} from 'typedoc';
import { contents } from '../contents.ts';
import { withFrontMatter } from '../stage.ts';
import { arrange, methodPath, referencePath } from './arrange.ts';
import { namesOf } from './names.ts';
import { groupOf, modulesOf, type ReferencePage } from './pages.ts';

/** Writes the API reference as markdown into a folder. Returns the path of each name, such as `payments.create`. */
export async function buildReference(root: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = `${root}.cache/site-entries`;
  rmSync(entries, { recursive: true, force: true });
  mkdirSync(entries, { recursive: true });
  const modules = modulesOf((path) => readFileSync(`${root}${path}`, 'utf8'));
  for (const { page, code } of modules) writeFileSync(`${entries}/${page.path}.ts`, code);
  writeFileSync(
    `${entries}/tsconfig.json`,
    JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'], exclude: [] }),
  );
  const app = await Application.bootstrapWithPlugins(
    {
      options: `${root}scripts/site/reference/typedoc.json`,
      entryPoints: modules.map(({ page }) => `${entries}/${page.path}.ts`),
      tsconfig: `${entries}/tsconfig.json`,
      out: folder,
    },
    [new TypeDocReader()],
  );
  // Before the members are grouped.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project: resolved }) => removeInherited(resolved), 1000);
  const project = await app.convert();
  if (project === undefined) throw new Error('the API reference cannot be built');
  // The members of an anonymous type are documented in the docstring of the type that contains it.
  const warn = app.logger.validationWarning.bind(app.logger);
  app.logger.validationWarning = (message: TranslatedString): void => {
    if (!/\.__type\..*does not have any documentation$/.test(message)) warn(message);
  };
  app.validate(project);

  app.renderer.on(RendererEvent.BEGIN, () => {
    if (app.renderer.router !== undefined)
      nameAnchors(project, app.renderer.router as unknown as AnchoredRouter, modules);
  });
  const names = namesOf(project);
  const paths = new Map<string, string>();
  app.renderer.on(RendererEvent.END, () => {
    const { router } = app.renderer;
    for (const [name, reflection] of names) paths.set(name, referencePath(router?.getFullUrl(reflection) ?? ''));
  });
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('the API reference has warnings');
  const guides = new Map(contents(root).map(({ path, title }) => [path, title]));
  for (const { page } of modules) {
    const file = `${folder}${page.path}.md`;
    if (!existsSync(file)) throw new Error(`TypeDoc wrote no page for ${page.entry} (${page.title})`);
    for (const { path, title, description, text } of arrange(readFileSync(file, 'utf8'), page, guides)) {
      mkdirSync(dirname(`${folder}${path}`), { recursive: true });
      writeFileSync(`${folder}${path}.md`, withFrontMatter({ title, description }, text));
    }
  }
  const index = { title: 'API reference', description: 'Every method, type and error, by entry of the package.' };
  const groups = Map.groupBy(modules, ({ page }) => groupOf(page));
  const lists = [...groups].map(([group, members]) =>
    [`## ${group}`, '', ...members.map(({ page }) => `- [${page.title}](${page.path}.md): ${page.description}`)].join(
      '\n',
    ),
  );
  writeFileSync(
    `${folder}index.md`,
    withFrontMatter(index, [`# ${index.title}`, index.description, ...lists].join('\n\n')),
  );
  return paths;
}

/** The tables of TypeDoc's router, from which headings and links take their anchors. */
interface AnchoredRouter {
  readonly anchors: Map<Reflection, string>;
  readonly fullUrls: Map<Reflection, string>;
}

/**
 * Names the anchors of members after their type and themselves: `payments-create`. Those of types keep their names, and
 * methods of namespaces have pages.
 */
function nameAnchors(
  project: ProjectReflection,
  { anchors, fullUrls }: AnchoredRouter,
  modules: readonly { readonly page: ReferencePage }[],
): void {
  const taken = new Map<string, number>();
  for (const member of project.getReflectionsByKind(ReflectionKind.SomeMember)) {
    const { parent } = member;
    const [page = ''] = fullUrls.get(member)?.split('#') ?? [];
    if (!anchors.has(member) || parent === undefined || !anchors.has(parent)) continue;
    const name = `${anchors.get(parent)}-${member.name.toLowerCase().replaceAll(/\W/g, '')}`;
    const count = taken.get(`${page}#${name}`) ?? 0;
    taken.set(`${page}#${name}`, count + 1);
    const anchor = count === 0 ? name : `${name}-${count}`;
    anchors.set(member, anchor);
    const namespace = modules.find((each) => each.page.main === parent.name && each.page.methods !== undefined)?.page
      .path;
    const isPage = namespace !== undefined && member.kind === ReflectionKind.Method;
    fullUrls.set(member, isPage ? `${methodPath(namespace, member.name)}.md` : `${page}#${anchor}`);
  }
}

/** Removes the members that a class or an interface inherits: its page links to the type that declares them. */
function removeInherited(project: ProjectReflection): void {
  const inherited = project
    .getReflectionsByKind(ReflectionKind.ClassMember)
    .filter((member) => (member as DeclarationReflection).inheritedFrom !== undefined);
  for (const member of inherited) project.removeReflection(member);
}
