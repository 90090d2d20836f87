import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** A page of the documentation, as docs/README.md lists it. */
export interface Page {
  /** Its file, from the root of the repository. */
  readonly path: string;
  readonly title: string;
  /** A line that describes its purpose. */
  readonly summary: string;
  /** The group it is listed in. */
  readonly group: string;
}

/** The pages in a list such as docs/README.md: its sections are groups, its items pages. */
function pagesIn(list: string, folder: string): Page[] {
  return list
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const group = section.slice(0, section.indexOf('\n')).trim();
      return [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.+)$/gm)].map(
        ([, title = '', link = '', summary = '']) => ({
          path: posix.join(folder, link),
          title,
          summary,
          group,
        }),
      );
    });
}

/** Every page, in the order of docs/README.md. */
export function contents(root: string): Page[] {
  return pagesIn(readFileSync(`${root}docs/README.md`, 'utf8'), 'docs');
}
