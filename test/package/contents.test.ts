import { expect, test } from 'vitest';
import { contentProblems, manifestProblems } from '../../scripts/package-contents.ts';
import { privateKey } from '../reliability/key.js';

test.each([
  ['test/client/pages.test.ts', ''], ['dist/index.js.map', ''], ['examples/demo.ts', ''], ['.env', ''], ['dist/mock/fixture.json', ''],
  ['dist/index.js', privateKey],
  ['dist/index.cjs', '// ../../../home/someone/corridor/node_modules/jose/index.js'],
  ['dist/index.cjs', `// ${['', 'home', 'someone', 'src', 'index.ts'].join('/')}`],
  ['dist/index.js', 'const place = "C:\\\\build\\\\corridor";'],
  ['dist/index.js', "import '../test/fixture.js';"],
  ['dist/index.js', '//# sourceMappingURL=index.js.map'],
])('%s holding %j would not be published', (path, text) => {
  expect(contentProblems([{ path, text }])).toHaveLength(1);
});

test('what is built would be', () => {
  expect(contentProblems([{ path: 'dist/index.js', text: "const path = '/api/v1/payment'; // node_modules/ky/index.js\nconst pem = '-----BEGIN PRIVATE KEY-----';" }, { path: 'LICENSE', text: '' }])).toEqual([]);
});

test.each([
  [{ scripts: { postinstall: 'node x' }, dependencies: { jose: '1', ky: '1', zod: '1' } }],
  [{ dependencies: { jose: '1', ky: '1', zod: '1', further: '1' } }],
])('%j would not be installed', (manifest) => {
  expect(manifestProblems(manifest)).toHaveLength(1);
});

test('three dependencies and scripts for ourselves would be', () => {
  expect(manifestProblems({ scripts: { build: 'tsup', prepublishOnly: 'npm run check' }, dependencies: { zod: '1', ky: '1', jose: '1' } })).toEqual([]);
});
