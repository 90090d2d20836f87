import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import type { SiteData } from '../navigation.ts';

const root = new URL('../../../', import.meta.url);
const { description, version, sidebar, names } = JSON.parse(
  readFileSync(new URL('.cache/site-data.json', root), 'utf8'),
) as SiteData;
const links = new Map(Object.entries(names));

export default defineConfig({
  lang: 'en-US',
  title: 'corridor-sdk',
  description,
  cacheDir: new URL('.cache/vitepress', root).pathname,
  outDir: new URL('.cache/site', root).pathname,
  vite: { build: { target: 'es2022', chunkSizeWarningLimit: 2000 } },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }]],
  markdown: {
    // The anchors of GitHub, so that links work in the repository, too.
    anchor: {
      slugify: (title) =>
        title
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
          .replaceAll(' ', '-'),
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      const { code_inline: plain } = markdown.renderer.rules;
      markdown.renderer.rules.code_inline = (tokens, index, ...rest) => {
        const html = plain?.(tokens, index, ...rest) ?? '';
        const isLinked =
          tokens.slice(0, index).filter(({ type }) => type === 'link_open').length !==
          tokens.slice(0, index).filter(({ type }) => type === 'link_close').length;
        const target = isLinked ? undefined : targetOf(tokens[index]?.content ?? '');
        return target === undefined ? html : `<a href="${target}">${html}</a>`;
      };
    },
  },
  themeConfig: {
    logo: '/favicon.svg',
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: true } },
    sidebar: sidebar as Record<string, { text: string; items: { text: string; link: string }[] }[]>,
    nav: [
      { text: 'Guides', link: '/quickstart', activeMatch: '^/(?!$|endpoints/|reference/|money)' },
      { text: 'Endpoints', link: '/endpoints/payments-create', activeMatch: '^/endpoints/' },
      { text: 'API reference', link: '/reference/payments', activeMatch: '^/reference/' },
      { text: 'Errors and money', link: '/money' },
      {
        text: version,
        items: [
          { text: 'Changelog', link: '/changelog' },
          { text: 'Versions and support', link: '/support-policy' },
          { text: 'Security', link: '/security' },
        ],
      },
    ],
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});

/**
 * Returns the link of code that names something: `PaymentCreateParams`, `payments.create`,
 * `corridor.payments.create(payment)`.
 */
function targetOf(code: string): string | undefined {
  const name = code
    .replace(/\(.*\)$/, '')
    .replace(/^(?:readonly |PagePromise<)/, '')
    .replace(/(?:\[\]|>)$/, '');
  return links.get(name);
}
