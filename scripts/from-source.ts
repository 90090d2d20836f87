import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Preloaded with --import: resolves the package's names to src, like the compiler, so that programs run without a
// build.
const root = new URL('../', import.meta.url);
const source = new URL('src/', root).href;
const { compilerOptions } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8')) as {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> };
};

registerHooks({
  resolve(specifier, context, next) {
    const [entry] = compilerOptions.paths[specifier] ?? [];
    if (entry !== undefined) return next(new URL(entry, root).href, context);
    const isOwn = specifier.startsWith('.') && context.parentURL?.startsWith(source) === true;
    return next(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});
