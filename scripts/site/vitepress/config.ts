import { readFileSync } from 'node:fs';
import { defineConfig, type HeadConfig } from 'vitepress';
import { addressesOf, type SiteData } from '../navigation.ts';
import { answers } from '../search.ts';

const root = new URL('../../../', import.meta.url);
const { description, version, url, sidebar, footer, names } = JSON.parse(
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
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }],
    ['meta', { property: 'og:site_name', content: 'corridor-sdk' }],
    ['meta', { property: 'og:type', content: 'website' }],
  ],
  ...(url !== undefined && { sitemap: { hostname: url } }),
  transformHead: ({ title, description: about, page, assets }) => [
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: about }],
    ...(url === undefined ? [] : addressTags(url, page)),
    ...assets
      .filter((path) => path.endsWith('.woff2'))
      .map((href): HeadConfig => ['link', { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href }]),
  ],
  markdown: {
    // The anchors of GitHub, so that links work in the repository, too.
    anchor: {
      slugify: (title) =>
        title
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
          .replaceAll(' ', '-'),
    },
    image: { lazyLoading: true },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      const { code_inline: plain, image, text: plainText } = markdown.renderer.rules;
      markdown.renderer.rules.code_inline = (tokens, index, ...rest) => {
        // Vue would evaluate {{ }} in it.
        const html = (plain?.(tokens, index, ...rest) ?? '').replace('<code', '<code v-pre');
        const isLinked =
          tokens.slice(0, index).filter(({ type }) => type === 'link_open').length !==
          tokens.slice(0, index).filter(({ type }) => type === 'link_close').length;
        const { content = '' } = tokens[index] ?? {};
        const target = isLinked ? undefined : targetOf(content);
        // A short name is never broken, a long path or call only between its parts.
        const word = /^\S{1,32}$/.test(content)
          ? html.replace('<code', '<code class="word"')
          : html.replace(/>([^<]*)</, (text) => text.replaceAll(/[/(.]/g, '$&<wbr>'));
        return target === undefined ? word : `<a href="${target}">${word}</a>`;
      };
      // The space of a picture is known before it is loaded.
      markdown.renderer.rules.image = (tokens, index, ...rest) => {
        const source = tokens[index]?.attrGet('src') ?? '';
        if (source.endsWith('.png')) {
          const png = readFileSync(new URL(`.cache/site-source/public${source}`, root));
          tokens[index]?.attrSet('width', String(png.readUInt32BE(16)));
          tokens[index]?.attrSet('height', String(png.readUInt32BE(20)));
        }
        return image?.(tokens, index, ...rest) ?? '';
      };
      markdown.renderer.rules.text = (tokens, index, ...rest) =>
        (plainText?.(tokens, index, ...rest) ?? '')
          .replaceAll(/\bA-\d+\b/g, '<span class="word">$&</span>')
          .replace(/^(\w+\.)(?=\w+$)/, '$1<wbr>');
    },
  },
  themeConfig: {
    logo: '/favicon.svg',
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env);
          // The words that the page answers belong to its title.
          const words = Object.keys(answers).filter((word) => `${answers[word]}.md` === env.relativePath);
          if (env.frontmatter?.['search'] === false) return '';
          return words.length === 0 ? html : html.replace('<a class="header-anchor"', `(${words.join(', ')}) $&`);
        },
        // Guides come before all other pages, and 429 does not match 409. Functions are sent to the browser as text.
        miniSearch: {
          searchOptions: {
            fuzzy: (term: string) => (/^\d+$/.test(term) ? false : 0.2),
            boostDocument: (id: string) =>
              /^\/(?:endpoints|reference|test|decisions|changelog|examples|bench)\b/.test(id) ? 0.2 : 1,
          },
        },
      },
    },
    sidebar: sidebar as Record<string, { text: string; items: { text: string; link: string }[] }[]>,
    nav: [
      { text: 'Guides', link: '/quickstart', activeMatch: '^/(?!$|endpoints|reference/|money)' },
      { text: 'Endpoints', link: '/endpoints', activeMatch: '^/endpoints' },
      { text: 'API reference', link: '/reference/', activeMatch: '^/reference/' },
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
    notFound: {
      title: 'Page not found',
      quote: 'The address is wrong, or the page has moved. Search for it, or start at the home page.',
      linkLabel: 'Go to the home page',
      linkText: 'Home page',
    },
    footer: { message: footer },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});

function addressTags(site: string, path: string): HeadConfig[] {
  const { page, image } = addressesOf(site, path);
  return [
    ['link', { rel: 'canonical', href: page }],
    ['meta', { property: 'og:url', content: page }],
    ['meta', { property: 'og:image', content: image }],
  ];
}

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
