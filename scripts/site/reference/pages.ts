/** A page of the API reference: some of the exports of one entry of the package. */
export interface ReferencePage {
  /** Its path, without the ending. */
  readonly path: string;
  readonly title: string;
  /** The name of the entry, as in an import. */
  readonly entry: string;
  readonly description: string;
  /** The source of the entry. */
  readonly source: string;
  /** The export that comes first. */
  readonly main?: string;
  /** The methods of a namespace, each with its guide, in the order one uses them. Each has a page of its own. */
  readonly methods?: Readonly<Record<string, string>>;
  /** Matches the modules whose exports the page describes, as the entry imports them. All exports by default. */
  readonly modules?: RegExp;
}

const main = { entry: 'corridor-sdk', source: 'src/index.ts' };
const mock = { entry: 'corridor-sdk/mock', source: 'src/mock/index.ts' };

/** The pages of the API reference, in order. An export is on the first page that matches its module. */
export const referencePages: readonly ReferencePage[] = [
  {
    ...main,
    path: 'payments',
    main: 'Payments',
    title: 'payments',
    methods: {
      createOnce: 'exactly-once.md',
      create: 'cookbook/payments.md',
      preflight: 'cookbook/payments.md',
      find: 'cookbook/payments.md',
      waitForStatus: 'following-payments.md',
      changes: 'following-payments.md',
      list: 'pagination.md',
      export: 'export.md',
      planExport: 'export.md',
      reconcile: 'pending-payments.md',
      reconcilePending: 'pending-payments.md',
      releaseIntent: 'pending-payments.md',
      acceptPayment: 'pending-payments.md',
    },
    description: 'Creates, finds, lists, follows and exports payments.',
    modules: /(?<!errors\/)payment|quotes|authorization|workflows/,
  },
  {
    ...main,
    path: 'customers',
    main: 'Customers',
    title: 'customers',
    methods: {
      list: 'cookbook/customers.md',
      get: 'cookbook/customers.md',
      waitForStatus: 'cookbook/customers.md',
      activity: 'cookbook/customers.md',
      beneficiaries: 'cookbook/customers.md',
      waitForBeneficiaryStatus: 'cookbook/customers.md',
    },
    description: 'Reads customers, their activity and their beneficiaries.',
    modules: /customers|beneficiaries/,
  },
  {
    ...main,
    path: 'screening',
    main: 'Screening',
    title: 'screening',
    methods: {
      get: 'cookbook/screening.md',
      history: 'cookbook/screening.md',
    },
    description: 'Reads the screening of persons.',
    modules: /screening/,
  },
  {
    ...main,
    path: 'crypto',
    main: 'CryptoResource',
    title: 'crypto',
    methods: {
      paymentMethods: 'cookbook/crypto.md',
      networks: 'cookbook/crypto.md',
    },
    description: 'Lists tokens and networks.',
    modules: /crypto/,
  },
  {
    ...main,
    path: 'documents',
    main: 'Documents',
    title: 'documents',
    methods: {
      download: 'cookbook/documents.md',
      downloadUrl: 'cookbook/documents.md',
      delete: 'cookbook/documents.md',
    },
    description: 'Downloads and deletes documents.',
    modules: /documents|downloads/,
  },
  {
    ...main,
    path: 'support',
    main: 'Support',
    title: 'support',
    methods: {
      reply: 'cookbook/support.md',
      downloadAttachment: 'cookbook/support.md',
      attachmentUrl: 'cookbook/support.md',
    },
    description: 'Replies to support tickets.',
    modules: /support/,
  },
  {
    ...main,
    path: 'errors',
    main: 'CorridorError',
    title: 'Errors',
    description: 'Every error class, and the status to respond with.',
    modules: /errors/,
  },
  {
    ...main,
    path: 'journal',
    main: 'Journal',
    title: 'Journals',
    description: 'Stores the payments that are about to be created.',
    modules: /journal/,
  },
  {
    ...main,
    path: 'client',
    main: 'Corridor',
    title: 'Client',
    description: 'The client, its options, keys, hooks, pages and metadata of responses.',
    modules: /./,
  },
  {
    path: 'journal-postgres',
    title: 'PostgreSQL journal',
    entry: 'corridor-sdk/journal/postgres',
    source: 'src/journal/postgres.ts',
    description: 'A journal in a PostgreSQL table.',
  },
  {
    path: 'journal-sqlite',
    title: 'SQLite journal',
    entry: 'corridor-sdk/journal/sqlite',
    source: 'src/journal/sqlite.ts',
    description: 'A journal in a SQLite file.',
  },
  {
    path: 'journal-testing',
    title: 'Journal contract',
    entry: 'corridor-sdk/journal/testing',
    source: 'src/journal/testing.ts',
    description: 'The contract of a journal, for any test runner.',
  },
  {
    path: 'mirror-postgres',
    title: 'PostgreSQL mirror',
    entry: 'corridor-sdk/mirror/postgres',
    source: 'src/mirror/postgres.ts',
    description: 'An own copy of all records in a PostgreSQL database.',
  },
  {
    path: 'mirror-sqlite',
    title: 'SQLite mirror',
    entry: 'corridor-sdk/mirror/sqlite',
    source: 'src/mirror/sqlite.ts',
    description: 'An own copy of all records in a SQLite file.',
  },
  {
    path: 'opentelemetry',
    title: 'OpenTelemetry',
    entry: 'corridor-sdk/opentelemetry',
    source: 'src/opentelemetry/index.ts',
    description: 'Spans and metrics of calls.',
  },
  {
    path: 'schemas',
    title: 'Schemas',
    entry: 'corridor-sdk/schemas',
    source: 'src/schemas/index.ts',
    description: 'zod schemas of requests and records.',
  },
  {
    ...mock,
    path: 'mock-records',
    title: 'Mock: records',
    description: 'Builders of customers, payments, quotes, documents and other records.',
    modules: /records|data\//,
  },
  {
    ...mock,
    path: 'mock-matchers',
    title: 'Mock: matchers',
    description: 'Matchers for vitest and Jest.',
    modules: /matchers/,
  },
  {
    ...mock,
    path: 'mock-faults',
    title: 'Mock: faults and requests',
    description: 'Plans failures and reads the requests that the mock received.',
    modules: /faults|http\//,
  },
  {
    ...mock,
    path: 'mock-platform',
    main: 'createMockPlatform',
    title: 'Mock: platform',
    description: 'The mock platform, its options, organizations, clock and transitions.',
    modules: /./,
  },
  {
    path: 'mock-msw',
    title: 'Mock: msw',
    entry: 'corridor-sdk/mock/msw',
    source: 'src/mock/msw.ts',
    description: 'Runs the mock behind msw.',
  },
  {
    path: 'mock-node',
    title: 'Mock: HTTP server',
    entry: 'corridor-sdk/mock/node',
    source: 'src/mock/node.ts',
    description: 'Serves the mock over HTTP.',
  },
  {
    path: 'mock-vitest',
    title: 'Mock: vitest',
    entry: 'corridor-sdk/mock/vitest',
    source: 'src/mock/vitest.ts',
    description: 'Adds the matchers to vitest.',
  },
];

/** Returns the group of a page in the sidebar and on the index. */
export function groupOf({ path, entry, methods }: ReferencePage): string {
  if (methods !== undefined) return 'Namespaces';
  if (entry.includes('mock')) return 'Mock';
  return ['client', 'errors'].includes(path) ? 'Client and errors' : 'Journals, mirrors and telemetry';
}

/** One `export … from` declaration of an entry: the module, and the exported names. */
interface ExportDeclaration {
  readonly module: string;
  readonly names: readonly string[];
}

/** Returns the `export … from` declarations of a source file. */
export function exportsOf(text: string): ExportDeclaration[] {
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)].map(([, list = '', module = '']) => ({
    module,
    names: list
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
  }));
}

/** Returns for each page a module that exports what the page describes, or the entry itself if it describes all of it. */
export function modulesOf(read: (path: string) => string): { readonly page: ReferencePage; readonly code: string }[] {
  return referencePages.map((page) => {
    const { source, modules } = page;
    if (modules === undefined) return { page, code: `export * from '../../${source}';\n` };
    const siblings = referencePages.filter((other) => other.source === source);
    const names = exportsOf(read(source))
      .filter(({ module }) => siblings.find((sibling) => sibling.modules?.test(module)) === page)
      .flatMap((declaration) => declaration.names);
    return { page, code: `export { ${names.join(', ')} } from '../../${source}';\n` };
  });
}
