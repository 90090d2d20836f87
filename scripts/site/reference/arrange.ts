import type { ReferencePage } from './pages.ts';

/**
 * Completes a page that TypeDoc wrote: adds its title and import, and moves the main export to the top.
 */
export function arrange(text: string, { title, description, entry, main }: ReferencePage): string {
  const sections = text
    .trim()
    .replaceAll('\n\n***\n', '\n')
    .split(/\n\n(?=## )/);
  const isMain = (section: string): boolean => main !== undefined && new RegExp(`^## ${main}\\b`, 'm').test(section);
  const sorted = [...sections.filter(isMain), ...sections.filter((section) => !isMain(section))];
  const head = `# ${title} {#about}\n\n${description} Import from \`${entry}\`.\n`;
  return `${head}\n${sorted.map(withoutMinorHeadings).join('\n\n')}\n`;
}

/** Returns the path of a name on the site, from the path in TypeDoc's router: `payments.md#payments-create`. */
export function referencePath(url: string): string {
  return `/reference/${url.replace('/index.md', '/').replace('.md', '.html')}`;
}

/** Leaves only types and their methods as headings, which the outline of the page lists. */
function withoutMinorHeadings(section: string): string {
  return section
    .replaceAll(/^###(?:##+)? ((?!.*\{#).+)$/gm, '**$1**')
    .replaceAll(/^\*\*Methods\*\*\n\n/gm, '')
    .replaceAll(/^#### /gm, '### ');
}
