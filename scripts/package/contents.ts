import { secretsIn } from '../repository/secrets.ts';
import { localLinks } from '../site/local-links.ts';

/** A file as it would be published. */
export interface PublishedFile {
  /** Its path within the package. */
  readonly path: string;
  readonly text: string;
}

/** The fields of package.json that affect an installation. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** The licenses of the packages whose code dist contains. */
export const noticesPath = 'dist/THIRD-PARTY-NOTICES.txt';

const allowed =
  /^(?:dist\/[\w./-]+\.(?:js|cjs|d\.ts|d\.cts)|dist\/THIRD-PARTY-NOTICES\.txt|docs\/(?:(?:cookbook|decisions)\/)?[\w-]+\.md|docs\/images\/[\w-]+\.png|docs\/(?:openapi|scenario\.schema|signing-vectors)\.json|examples\/(?:(?:backend|export-fleet|kms|mock-server)\/(?:(?:src|test)\/)?)?[\w.-]+\.(?:js|ts|md|json|yaml)|examples\/mock-server\/Dockerfile|bench\/(?:README\.md|charts\/\w+\.svg)|\.github\/[A-Z]+\.md|package\.json|LICENSE|[A-Z]+\.md)$/;
const installScripts = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
// Paths of the build machine or of tests.
const places =
  /(?:^|[\s"'`(=]|\.\.)(?:\/(?:home|root|tmp|work|Users|var|opt|private)\/[\w.-]+\/|[A-Z]:\\\\?[\w.-]+\\)|\.\.\/(?:src|test|examples|bench)\/|sourceMappingURL/;

// The public schemas are those of the program's zod.
const containedTypes = /^dist\/(?!schemas\/).*\.d\.c?ts$/;

/** Finds content that must not be published: files other than the build and its documents, secrets, local paths. */
export function contentProblems(files: readonly PublishedFile[]): string[] {
  return files.flatMap((file) => [
    ...(allowed.test(file.path) ? [] : [`${file.path} does not belong in the package`]),
    ...secretsIn(file).map((what) => `${what}, in the package`),
    ...file.text
      .split('\n')
      .filter((line) => file.path.startsWith('dist/') && places.test(line))
      .map((line) => `${file.path} names a place of the machine it was built on: ${line.trim().slice(0, 120)}`),
    ...(containedTypes.test(file.path) && /(?:from|import) ['"](?:zod|ky)\b/.test(file.text)
      ? [`${file.path} names the types of a package that the client contains`]
      : []),
  ]);
}

/** Finds links of documents to files that are not published with them. */
export function linkProblems(files: readonly PublishedFile[]): string[] {
  const isPublished = (target: string): boolean =>
    files.some(({ path }) => path === target || path.startsWith(`${target.replace(/\/$/, '')}/`));
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      localLinks(path, text)
        .filter((target) => !isPublished(target))
        .map((target) => `${path} links to ${target}, which is not in the package`),
    );
}

/** Finds packages whose code a file contains, and whose license the notices do not contain. */
export function noticeProblems(files: readonly PublishedFile[], notices: string): string[] {
  const names = files.flatMap(({ text }) =>
    [...text.matchAll(/^ *\/\/ .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm)].map(([, name = '']) => name),
  );
  return [...new Set(names)]
    .filter((name) => !notices.split('\n').some((line) => line.startsWith(`${name} `)))
    .map((name) => `dist contains code of ${name}, whose license is not in ${noticesPath}`);
}

/** Finds what an installation must not do: run scripts, or install more than two packages. */
export function manifestProblems({ dependencies = {}, scripts = {} }: Manifest): string[] {
  const names = Object.keys(dependencies).toSorted();
  return [
    ...installScripts
      .filter((name) => name in scripts)
      .map((name) => `package.json has the script ${name}, which would run on installation`),
    ...(names.join() === 'jose,zod' ? [] : [`package.json depends on ${names.join(', ')}, in place of jose and zod`]),
  ];
}
