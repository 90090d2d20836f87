import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { endpoints } from '../../contract/endpoints.js';

/** The console as one static page. */
export interface ConsolePage {
  readonly html: string;
  /** The policy that allows only the script and the style of this page, and requests to its own origin. */
  readonly contentSecurityPolicy: string;
}

/** The console, with the files that its script contains. */
export interface ConsoleBuild {
  readonly page: ConsolePage;
  readonly metafile: Metafile;
}

let built: Promise<ConsolePage> | undefined;

/**
 * Returns the console. From source it is bundled on first use; the build of the package replaces this module by the
 * page.
 */
export function consolePage(): Promise<ConsolePage> {
  return (built ??= buildConsole().then(({ page }) => page));
}

const sourceOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the console into one page. */
export async function buildConsole(): Promise<ConsoleBuild> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: {
      script: sourceOf('../../console/main.tsx'),
      style: sourceOf('../../console/styles.css'),
    },
    outdir: '/',
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    define: {
      FIRST_PATH: JSON.stringify(endpoints['crypto.networks'].path),
      PACKAGE_VERSION: JSON.stringify(packageVersion()),
    },
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const textOf = (name: string): string => outputFiles.find(({ path }) => path.endsWith(name))?.text.trim() ?? '';
  const [script, style] = [textOf('script.js'), textOf('style.css')];
  const page = { html: htmlOf(script, style), contentSecurityPolicy: await policyOf(script, style) };
  return { page, metafile };
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(sourceOf('../../../package.json'), 'utf8')) as { version: string };
  return version;
}

const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' " +
  "height='16' rx='4' fill='%234f46e5'/><path d='M4 8h8M9 5l3 3-3 3' fill='none' stroke='white' " +
  "stroke-width='1.6' stroke-linecap='round' stroke-linejoin='round'/></svg>";

function htmlOf(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Corridor mock</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>The console of the mock platform needs JavaScript.</noscript>
<script>${script}</script>
</body>
</html>
`;
}

async function policyOf(script: string, style: string): Promise<string> {
  return [
    "default-src 'none'",
    `script-src '${await hashOf(script)}'`,
    `style-src '${await hashOf(style)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
