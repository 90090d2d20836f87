import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

// The first step of a build: removes what the last one wrote, and writes the example programs as JavaScript: Node strips no types below node_modules, and has no
// import.meta.main before version 24.2.
const root = fileURLToPath(new URL('../..', import.meta.url));
const isMain = '(import.meta.main ?? realpathSync(process.argv[1]) === import.meta.filename)';

for (const path of [`${root}dist`, ...globSync(`${root}examples/*.js`)]) rmSync(path, { recursive: true, force: true });
for (const path of globSync(`${root}examples/*.ts`)) {
  const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  const text = outputText
    .replaceAll(/(from '\.\/[\w-]+|^\/\/ node examples\/[\w-]+)\.ts/gm, '$1.js')
    .replace('import.meta.main', isMain);
  const imports = text.includes(isMain) ? "import { realpathSync } from 'node:fs';\n" : '';
  writeFileSync(path.replace(/\.ts$/, '.js'), imports + text);
}
