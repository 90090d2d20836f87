import { kebabCase } from '../site-path.ts';
import type { ReferencePage } from './pages.ts';

/** A page of the reference as markdown, without front matter. */
export interface ArrangedPage {
  /** Its path in the folder of the reference, without the ending. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

/**
 * Completes a page that TypeDoc wrote: adds its title and import, moves the main export to the top, and its methods to
 * pages of their own. `guides` are the titles of the guides by path.
 */
export function arrange(text: string, page: ReferencePage, guides: ReadonlyMap<string, string>): ArrangedPage[] {
  const { path, title, description, entry, main, methods } = page;
  const sections = text
    .trim()
    .replaceAll('\n\n***\n', '\n')
    .split(/\n\n(?=## )/);
  const isMain = (section: string): boolean => main !== undefined && new RegExp(`^## ${main}\\b`, 'm').test(section);
  const first = sections.filter(isMain).map(plain);
  const others = sections.filter((section) => !isMain(section)).map(plain);
  const head = `# ${title} {#${methods === undefined ? 'about' : main?.toLowerCase()}}\n\n${description} Import from \`${entry}\`.`;
  if (methods === undefined)
    return [{ path, title, description, text: `${[head, ...first, ...others].join('\n\n')}\n` }];

  const parts = first.flatMap((section) => section.split(/\n\n(?=### )/)).slice(1);
  const nameOf = (part: string): string => /^### (\w+)\(/.exec(part)?.[1] ?? '';
  const missing = [...new Set([...parts.map(nameOf), ...Object.keys(methods)])].filter(
    (name) => methods[name] === undefined || !parts.some((part) => nameOf(part) === name),
  );
  if (missing.length > 0) throw new Error(`the methods of ${path} in reference/pages.ts differ: ${missing.join(', ')}`);
  const pages = Object.entries(methods).map(([name, guide]): ArrangedPage => {
    const part = parts.find((each) => nameOf(each) === name) ?? '';
    const body = part.replace(/^### .+\n\n/, '').replaceAll(/^\*\*(\w+)\*\*$/gm, '## $1');
    const summary = /^(?!>).+?[.:](?=\s)/ms.exec(body.replace(/^>.+\n\n/, ''))?.[0].replaceAll('\n', ' ') ?? '';
    return {
      path: methodPath(path, name),
      title: `${path}.${name}`,
      description: summary.replaceAll('`', '').replace(/:$/, '.'),
      text: `# ${path}.${name} {#about}\n\nGuide: [${guides.get(`docs/${guide}`)}](/${guide})\n\n${inFolder(body, path)}\n`,
    };
  });
  const list = pages.map((each) => `| [${each.title.split('.')[1]}](${each.path}.md) | ${each.description} |`);
  const table = ['| method | what it does |', '| --- | --- |', ...list].join('\n');
  const types = ['## Types', ...others.map((section) => section.replaceAll(/^##/gm, '###'))];
  return [{ path, title, description, text: `${[head, table, ...types].join('\n\n')}\n` }, ...pages];
}

/** Returns the path of the page of a method in the folder of the reference: `payments/create-once`. */
export const methodPath = (namespace: string, method: string): string => `${namespace}/${kebabCase(method)}`;

/** Returns the path of a name on the site, from the path in TypeDoc's router: `payments.md#payments-create`. */
export function referencePath(url: string): string {
  return `/reference/${url.replace('/index.md', '/').replace('.md', '.html')}`;
}

/** Leaves only types and their methods as headings, which the outline of the page lists, and says each type once. */
function plain(section: string): string {
  return section
    .replaceAll(/^#+ Type Literal\n\n(?=(.*))/gm, (_, type: string) => {
      const [discriminant] = /`\w+`: `"[^`]+"`/.exec(type) ?? [];
      return discriminant === undefined ? '' : `**${discriminant}**\n\n`;
    })
    .replaceAll(/^###(?:##+)? ((?!.*\{#).+)$/gm, '**$1**')
    .replaceAll(/^\*\*Methods\*\*\n\n/gm, '')
    .replaceAll(/^\*\*Returns\*\*\n\n.+\n\n(?=\*\*|Calls)/gm, '')
    .replaceAll(/(?<=^\*\*Throws\*\*\n\n[^*]+\n\n)\*\*Throws\*\*\n\n/gm, '')
    .replaceAll(/^(?!\|).*$|```[^]*?```/gm, (line) =>
      line.startsWith('```') ? line : line.replaceAll(/(?<![\w`[])[A-Z]\w+Error(?![\w`\]])/g, '`$&`'),
    )
    .replaceAll(/^#### /gm, '### ');
}

/** Rewrites the links of a text that moves from the page of a namespace to a page in its folder. */
const inFolder = (text: string, namespace: string): string =>
  text.replaceAll(/\]\((?!https?:|\/)(#?)/g, (_, hash: string) => (hash === '' ? '](../' : `](../${namespace}.md#`));
