import { registerHooks } from 'node:module';

// Given to Node by --import: the package's names lead to src, so that programs run without a build.
const source = new URL('../../src/', import.meta.url).href;
const entries: Readonly<Record<string, string>> = {
  'corridor-sdk': 'index.ts',
  'corridor-sdk/journal/postgres': 'journal/postgres.ts',
  'corridor-sdk/journal/sqlite': 'journal/sqlite.ts',
  'corridor-sdk/mock': 'mock/index.ts',
  'corridor-sdk/mock/msw': 'mock/msw.ts',
  'corridor-sdk/mock/node': 'mock/node.ts',
};

registerHooks({
  resolve(specifier, context, next) {
    const entry = entries[specifier];
    if (entry !== undefined) return next(source + entry, context);
    const isOwn = specifier.startsWith('.') && context.parentURL?.startsWith(source) === true;
    return next(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});
