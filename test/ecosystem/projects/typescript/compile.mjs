import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

// Every compiler with every module resolution. If a project sets how a file is loaded, each source is compiled as both.
const folder = fileURLToPath(new URL('.', import.meta.url));
const withDom = ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'];
const resolutions = {
  // As backends have it, without the DOM's types.
  node16: { module: 'node16', moduleResolution: 'node16', lib: ['es2022'], types: ['node'] },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', lib: withDom, types: ['node'] },
  // Without Node's types.
  bundler: { module: 'esnext', moduleResolution: 'bundler', lib: withDom, types: [] },
  // The setting of older CommonJS projects, removed in TypeScript 7.
  node10: { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true, lib: ['es2022'], types: ['node'] },
};
const compilers = {
  5.4: ['node16', 'bundler', 'node10'],
  5.9: ['node16', 'nodenext', 'bundler', 'node10'],
  6: ['node16', 'nodenext', 'bundler'],
  7: ['node16', 'nodenext', 'bundler'],
};
const cells = Object.entries(compilers).flatMap(([compiler, ways]) =>
  ways.map((resolution) => ({ compiler, resolution })),
);
const kindsIn = (resolution) => (['node16', 'nodenext'].includes(resolution) ? ['mts', 'cts'] : ['ts']);
// The types of msw 3 want those of the DOM and TypeScript 5.9.
const sourcesFor = (compiler, resolution) => [
  'entries',
  'declarations',
  ...(compiler !== '5.4' && resolutions[resolution].lib === withDom ? ['msw'] : []),
];

async function compile({ compiler, resolution }) {
  const cell = `${folder}out/${compiler}-${resolution}`;
  await mkdir(`${cell}/source`, { recursive: true });
  for (const source of sourcesFor(compiler, resolution)) {
    const text = await readFile(`${folder}source/${source}.ts`, 'utf8');
    for (const kind of kindsIn(resolution)) await writeFile(`${cell}/source/${source}.${kind}`, text);
  }
  const compilerOptions = {
    target: 'es2022',
    ...resolutions[resolution],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    declaration: true,
    rootDir: 'source',
    outDir: 'built',
  };
  // CommonJS by the package.json of the folder, if the compiler options do not set it.
  if (resolution === 'node10') await writeFile(`${cell}/package.json`, '{}');
  await writeFile(`${cell}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['source'] }));
  await run(`node_modules/typescript-${compiler}/bin/tsc`, '-p', cell);
  // The written declarations must be self-contained: they are compiled like in a dependent project, by the fastest one.
  if (resolution === 'node10') return;
  const declared = (await readdir(`${cell}/built`))
    .filter((name) => /\.d\.[cm]?ts$/.test(name))
    .map((name) => `built/${name}`);
  await writeFile(
    `${cell}/declared.json`,
    JSON.stringify({
      compilerOptions: { ...compilerOptions, declaration: false, rootDir: 'built', noEmit: true },
      files: declared,
    }),
  );
  await run('node_modules/typescript-7/bin/tsc', '-p', `${cell}/declared.json`);
}

/** Compiles the programs of the quickstart in a new project, which has only the setting that the quickstart names. */
async function compileQuickstart(compiler) {
  const cell = `${folder}out/quickstart-${compiler}`;
  await mkdir(cell, { recursive: true });
  const guide = await readFile(`${folder}node_modules/corridor-sdk/docs/quickstart.md`, 'utf8');
  const programs = [...guide.matchAll(/^```ts\n(.*?)^```/gms)].map(([, program]) => program);
  if (programs.length < 3) throw new Error(`the quickstart has ${programs.length} programs instead of at least 3`);
  for (const [index, program] of programs.entries()) await writeFile(`${cell}/program-${index}.ts`, program);
  await writeFile(`${cell}/package.json`, '{ "type": "module" }');
  await writeFile(`${cell}/tsconfig.json`, '{ "compilerOptions": { "types": ["node"] } }');
  await run(`node_modules/typescript-${compiler}/bin/tsc`, '-p', cell);
}

// The recipes of docs/network.md for Node, with the versions of undici and of Node's types that partners have.
const network = [6, 7, 8].flatMap((undici) =>
  [22, 24].flatMap((node) => [true, false].map((dom) => ({ undici, node, dom }))),
);

async function compileNetwork({ undici, node, dom }) {
  const cell = `${folder}out/network-${undici}-${node}-${dom}`;
  await mkdir(`${cell}/node_modules/@types`, { recursive: true });
  const linked = { undici: `undici-${undici}`, '@types/node': `types-node-${node}`, 'corridor-sdk': 'corridor-sdk' };
  for (const [name, installed] of Object.entries(linked))
    await symlink(`${folder}node_modules/${installed}`, `${cell}/node_modules/${name}`, 'junction');
  const page = await readFile(`${folder}node_modules/corridor-sdk/docs/network.md`, 'utf8');
  const recipes = [...page.matchAll(/^```js\n\/\/ ((?:node|serverless)[\w-]*)\.mjs\n(.*?)^```/gms)];
  if (recipes.length < 5) throw new Error(`docs/network.md has ${recipes.length} recipes for Node instead of 5`);
  for (const [, name, program] of recipes) await writeFile(`${cell}/${name}.mts`, program);
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: dom ? withDom : ['es2022'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  await writeFile(`${cell}/tsconfig.json`, JSON.stringify({ compilerOptions }));
  await run('node_modules/typescript-7/bin/tsc', '-p', cell);
}

function run(...parameters) {
  return new Promise((resolve, reject) => {
    let said = '';
    const child = spawn(process.execPath, parameters, { cwd: folder });
    child.stdout.on('data', (text) => (said += text));
    child.stderr.on('data', (text) => (said += text));
    child.on('close', (code) => (code === 0 ? resolve(said) : reject(new Error(`${parameters.join(' ')}\n${said}`))));
  });
}

await rm(`${folder}out`, { recursive: true, force: true });
const failures = [];
const waiting = [
  ...cells.map((cell) => ({ name: `TypeScript ${cell.compiler}, ${cell.resolution}`, compile: () => compile(cell) })),
  ...[6, 7].map((compiler) => ({
    name: `TypeScript ${compiler}, the quickstart`,
    compile: () => compileQuickstart(compiler),
  })),
];
waiting.push(
  ...network.map((cell) => ({
    name: `the recipes for networks, undici ${cell.undici}, types of Node ${cell.node}${cell.dom ? ', DOM types' : ''}`,
    compile: () => compileNetwork(cell),
  })),
);
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const began = performance.now();
      await cell.compile().then(
        () => console.log(`${cell.name}: ${((performance.now() - began) / 1000).toFixed(1)} s`),
        (error) => failures.push(error),
      );
    }
  }),
);
for (const { message } of failures) console.error(message);
if (failures.length > 0) process.exit(1);

for (const file of [
  '6-nodenext/built/entries.mjs',
  '6-nodenext/built/entries.cjs',
  '6-nodenext/built/msw.mjs',
  '6-nodenext/built/msw.cjs',
  '5.9-node10/built/entries.js',
])
  await run(`out/${file}`);
console.log('what was compiled runs, as ES modules and in CommonJS');
