import { posix } from 'node:path';

/** The files of the repository that a document leads to or shows, in the order of its links; each once. */
export function localLinks(path: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(([, link = '']) =>
    posix.join(posix.dirname(path), link),
  );
  return [...new Set(links)];
}
