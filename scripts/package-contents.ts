import { secretsIn } from '../test/repository/secrets.ts';

/** A file as it would be published. */
export interface PublishedFile {
  /** Its path within the package. */
  readonly path: string;
  readonly text: string;
}

/** What of package.json decides what an installation does. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

const allowed = /^(?:dist\/[\w./-]+\.(?:js|cjs|d\.ts|d\.cts)|openapi\.json|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
const installScripts = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
// Where code was built, or its tests: neither means anything elsewhere.
const places = /(?:^|[\s"'`(=]|\.\.)(?:\/(?:home|root|tmp|work|Users|var|opt|private)\/[\w.-]+\/|[A-Z]:\\\\?[\w.-]+\\)|\.\.\/(?:src|test|examples|bench)\/|sourceMappingURL/;

/** What should not be published: other files than the build and its papers, secrets, places of one machine. */
export function contentProblems(files: readonly PublishedFile[]): string[] {
  return files.flatMap((file) => [
    ...(allowed.test(file.path) ? [] : [`${file.path} does not belong in the package`]),
    ...secretsIn(file).map((what) => `${what}, in the package`),
    ...file.text.split('\n').filter((line) => file.path.startsWith('dist/') && places.test(line)).map((line) => `${file.path} names a place of the machine it was built on: ${line.trim().slice(0, 120)}`),
  ]);
}

/** What an installation must not do: run scripts, or bring more than three packages. */
export function manifestProblems({ dependencies = {}, scripts = {} }: Manifest): string[] {
  const names = Object.keys(dependencies).toSorted();
  return [
    ...installScripts.filter((name) => name in scripts).map((name) => `package.json has the script ${name}, which would run on installation`),
    ...(names.join() === 'jose,ky,zod' ? [] : [`package.json depends on ${names.join(', ')}, in place of jose, ky and zod`]),
  ];
}
