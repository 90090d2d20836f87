import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import * as sdk from 'corridor-sdk';
import { beneficiaryTransitions, createMockPlatform, customerTransitions, paymentTransitions } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { readMarkdown, type Table } from './markdown.ts';
import { everything, read, typescriptIn } from '../../scripts/repository/tree.ts';

const tableOf = (path: string, section: string): Table => readMarkdown(read(path).text).get(section)?.tables[0] ?? [];
const codesIn = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** The fields of an interface, each with its docstring. */
function fieldsOf(path: string, name: string): Map<string, string> {
  const [, body = ''] = new RegExp(`interface ${name}\\b.*?\\{\\n([^]*?)\\n\\}`).exec(read(path).text) ?? [];
  return new Map(
    [...body.matchAll(/\/\*\*([^]*?)\*\/\s*readonly (\w+)\?:/g)].map(([, docstring = '', field = '']) => [
      field,
      docstring,
    ]),
  );
}

describe('the table of endpoints', () => {
  const rows = tableOf('docs/endpoints.md', 'Endpoints');

  test('has the endpoints of the specification, in its order', () => {
    const specified = tableOf('docs/platform-specification.md', 'Endpoints').map((row) => [
      row['#'],
      `${row['Method']} ${row['Path']}`,
    ]);
    expect(rows.map((row) => [row['#'], codesIn(row['endpoint and call'])[0]])).toEqual(specified);
  });

  test('has a call for each, and types that the package exports', () => {
    expect(rows.map((row) => /<br>`corridor\.(\w+\.\w+)\(/.exec(row['endpoint and call'] ?? '')?.[1])).toEqual(
      sdk.endpointNames,
    );
    const named = rows.flatMap(({ types }) => codesIn(types).flatMap((code) => code.match(/[A-Z]\w+/g) ?? []));
    expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(read('src/index.ts').text))).toEqual([]);
  });
});

test('the table of calls built on the endpoints has every other call', () => {
  const corridor = new sdk.Corridor(createMockPlatform().clientOptions());
  const namespaces = [...new Set(sdk.endpointNames.map((name) => name.split('.')[0] as keyof sdk.Corridor))];
  const calls = namespaces.flatMap((namespace) =>
    methodsOf(corridor[namespace]).map((method) => `${namespace}.${method}`),
  );
  const listed = tableOf('docs/endpoints.md', 'Built on the endpoints').map(
    ({ call = '' }) => /corridor\.(\w+\.\w+)\(/.exec(call)?.[1],
  );
  expect([...sdk.endpointNames, ...listed].toSorted()).toEqual(calls.toSorted());
});

function methodsOf(value: object): string[] {
  const prototypes = [Object.getPrototypeOf(value) as object];
  for (
    let next = prototypes[0];
    next !== undefined && next !== Object.prototype;
    next = Object.getPrototypeOf(next) as object
  )
    prototypes.push(next);
  return [...new Set(prototypes.flatMap((prototype) => Object.getOwnPropertyNames(prototype)))].filter(
    (name) => name !== 'constructor',
  );
}

describe('the table of options', () => {
  test.each([
    ['docs/configuration.md', 'Options of the client', fieldsOf('src/options.ts', 'CorridorOptions')],
    [
      'docs/testing-reference.md',
      'Options of the mock',
      new Map([
        ...fieldsOf('src/mock/base/mock-options.ts', 'MockIdentityOptions'),
        ...fieldsOf('src/mock/base/mock-options.ts', 'MockPlatformOptions'),
        ...fieldsOf('src/mock/base/mock-options.ts', 'MockBehavior'),
      ]),
    ],
  ])('of %s has exactly the options of the type', (path, section, fields) => {
    const listed = tableOf(path, section).flatMap(({ option }) => codesIn(option));
    expect(listed.toSorted()).toEqual([...fields.keys()].toSorted());
  });

  test('has the defaults of the docstrings', () => {
    const fields = fieldsOf('src/options.ts', 'CorridorOptions');
    const plain = (text: string): string =>
      text
        .replaceAll(/[\s*]+/g, ' ')
        .replaceAll(/`|the environment's |,.*$/g, '')
        .trim();
    for (const { option, default: listed = '' } of tableOf('docs/configuration.md', 'Options of the client')) {
      const [, documented = 'none'] = /@default ([^]*)/.exec(fields.get(codesIn(option)[0] ?? '') ?? '') ?? [];
      // An empty cell means that the option has no default.
      expect({ option, default: plain(listed) || 'none' }).toEqual({ option, default: plain(documented) });
    }
  });
});

test('the table of errors has every class that the package exports', () => {
  const classes = Object.entries(sdk)
    .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
    .map(([name]) => name);
  const listed = tableOf('docs/errors.md', 'All errors').flatMap((row) => codesIn(row['class']));
  expect([...listed, 'CorridorError'].toSorted()).toEqual(classes.toSorted());
});

test.each(['README.md', 'docs/quickstart.md'])('%s pays with records of the scenario that it names', async (path) => {
  const { text } = read(path);
  const [, scenario = ''] = /corridor-sdk mock --scenario ([\w-]+)/.exec(text) ?? [];
  const [, program = ''] = /createOnce\(\{([^}]*customerId: 'cus_1'[^}]*)\}/.exec(text) ?? [];
  const field = (name: string): string => new RegExp(`${name}: \\[?'([^']+)'`).exec(program)?.[1] ?? '';
  const [customerId, beneficiaryId, paymentQuoteId] = ['customerId', 'beneficiaryId', 'paymentQuoteId'].map(field);
  const [amount, currencyCode, documentIds] = [field('amount'), field('currencyCode'), [field('documentIds')]];
  const platform = createMockPlatform();
  platform.scenarios.load(scenario);
  const { payments } = new sdk.Corridor(platform.clientOptions());
  const order = { customerId, beneficiaryId, paymentQuoteId, documentIds, amount, currencyCode };
  const { created } = await payments.createOnce({ ...order, purposeOfPayment: 'Goods' } as sdk.PaymentCreateParams);
  expect(created).toBe(true);
});

test('the table of transitions has those that the mock makes', () => {
  const transitions = {
    payment: paymentTransitions,
    customer: customerTransitions,
    beneficiary: beneficiaryTransitions,
  };
  const made = Object.entries(transitions).flatMap(([record, table]) =>
    Object.entries(table)
      .filter(([, to]) => to.length > 0)
      .map(([from, to]) => [record, from, ...to]),
  );
  const listed = tableOf('docs/testing-reference.md', 'Transitions').flatMap(({ record: records = '', from, to }) =>
    records.split(', ').map((record) => [record, ...codesIn(from), ...codesIn(to)]),
  );
  expect(listed.toSorted()).toEqual(made.toSorted());
});

test('the table of error responses has every code that the mock responds with', () => {
  const used = typescriptIn('src/mock').flatMap(({ text }) =>
    [
      ...text.matchAll(/(?:\b(?:fail|orFail|reject)\(\s*|HttpError\(\s*\d{3},\s*|status: 40[34],\s*code: )'(\w+)'/g),
    ].map(([, code = '']) => code),
  );
  const listed = tableOf('docs/testing-reference.md', 'Error responses of the mock').flatMap(({ codes }) =>
    codesIn(codes),
  );
  expect(listed.toSorted()).toEqual([...new Set(used)].toSorted());
});

test('the table of faults has every kind', () => {
  const faults = readMarkdown(read('docs/testing-reference.md').text).get('Faults')?.tables[1] ?? [];
  const listed = faults.map((row) => codesIn(row['kind (fields)'])[0]);
  const planUnknown = () => createMockPlatform().faults.next('*', { kind: 'unknown' } as never);
  expect(planUnknown).toThrow(`faults.next: fault.kind must be one of ${listed.join(', ')} (received "unknown")`);
});

describe('links', () => {
  const documents = everything().filter(({ path }) => path.endsWith('.md'));
  const anchorsOf = (path: string): string[] =>
    [...read(path).text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );

  test('between documents lead somewhere', () => {
    const broken = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([, link = '', anchor]) => {
        const target = link === '' ? path : posix.join(posix.dirname(path), link);
        const leads = existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor));
        return leads ? [] : [`${path}: ${link}${anchor === undefined ? '' : `#${anchor}`}`];
      }),
    );
    expect(broken).toEqual([]);
  });
});

test('the commands of the README for a clone of the repository are scripts of the package', () => {
  const { scripts } = JSON.parse(read('package.json').text) as { readonly scripts: Readonly<Record<string, string>> };
  const [block = ''] = /```sh\nnpm ci [^]*?```/.exec(read('README.md').text) ?? [];
  expect(
    [...block.matchAll(/^npm ci && npm (?:run )?(\w+)/gm)].map(([, script = '']) => [script, script in scripts]),
  ).toEqual([
    ['demo', true],
    ['test', true],
  ]);
});

test('the versions of the table of tools are those that CI installs', () => {
  const rows = tableOf('docs/runtimes.md', 'Tools');
  expect(rows.length).toBeGreaterThan(15);
  for (const { tool = '', versions = '', folder = '' } of rows) {
    const { text } = read(`test/ecosystem/${folder.replaceAll('`', '')}/package.json`);
    for (const version of versions.split(', '))
      expect(text, `${tool} ${version}`).toMatch(new RegExp(`["@]${version.replaceAll('.', '[.]')}"`));
  }
});
