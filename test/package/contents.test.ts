import { expect, test } from 'vitest';
import { contentProblems, linkProblems, manifestProblems, noticeProblems } from '../../scripts/package/contents.ts';
import { privateKey } from '../support/key.ts';

test.each([
  ['test/client/pagination.test.ts', ''],
  ['dist/index.js.map', ''],
  ['examples/backend/node_modules/pg/index.js', ''],
  ['examples/backend/.env', ''],
  ['bench/run.ts', ''],
  ['.env', ''],
  ['dist/mock/fixture.json', ''],
  ['dist/index.js', privateKey],
  ['dist/index.cjs', '// ../../../home/someone/corridor/node_modules/jose/index.js'],
  ['dist/index.cjs', `// ${['', 'home', 'someone', 'src', 'index.ts'].join('/')}`],
  ['dist/index.js', 'const place = "C:\\\\build\\\\corridor";'],
  ['dist/index.js', "import '../test/fixture.js';"],
  ['dist/index.d.ts', "import * as z from 'zod/mini';"],
  ['dist/index.js', '//# sourceMappingURL=index.js.map'],
])('%s with %j would not be published', (path, text) => {
  expect(contentProblems([{ path, text }])).toHaveLength(1);
});

test('the build would be published', () => {
  expect(
    contentProblems([
      {
        path: 'dist/index.js',
        text: "const path = '/api/v1/payment'; // node_modules/ky/index.js\nconst pem = '-----BEGIN PRIVATE KEY-----';",
      },
      { path: 'LICENSE', text: '' },
    ]),
  ).toEqual([]);
});

test('a document would not be published without the files that it links to', () => {
  const files = [
    {
      path: 'docs/sync.md',
      text: '[a](../README.md#run) [b](../examples/backend/) [c](../test/sync.test.ts) [d](https://e.example)',
    },
    { path: 'README.md', text: '![f](bench/chart.svg)' },
    { path: 'examples/backend/README.md', text: '' },
  ];
  expect(linkProblems(files)).toEqual([
    'docs/sync.md links to test/sync.test.ts, which is not in the package',
    'README.md links to bench/chart.svg, which is not in the package',
  ]);
});

test.each([
  [{ scripts: { postinstall: 'node x' }, dependencies: { jose: '1', zod: '1' } }],
  [{ dependencies: { jose: '1', zod: '1', further: '1' } }],
])('%j would not be installed', (manifest) => {
  expect(manifestProblems(manifest)).toHaveLength(1);
});

test('two dependencies and scripts for ourselves would be', () => {
  expect(
    manifestProblems({
      scripts: { build: 'tsup', prepublishOnly: 'npm run check' },
      dependencies: { zod: '1', jose: '1' },
    }),
  ).toEqual([]);
});

test('code of a package without its license would not be published', () => {
  const files = [{ path: 'dist/index.cjs', text: '// node_modules/ky/a.js\n// node_modules/@stablelib/base64/b.js' }];
  expect(noticeProblems(files, 'ky 2.1.0 (MIT)\n')).toEqual([
    'dist contains code of @stablelib/base64, whose license is not in dist/THIRD-PARTY-NOTICES.txt',
  ]);
});
