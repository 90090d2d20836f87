import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A file of the repository: its path from the root, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The TypeScript files of a folder and the folders in it, without installed packages. */
export function typescriptIn(folder: string): SourceFile[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/(?:^|[\\/])node_modules[\\/]/.test(path))
    .toSorted()
    .map((path) => read(`${folder}/${path.replaceAll('\\', '/')}`));
}

/** Every text file of the repository, committed or about to be. */
export function everything(): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((path) => path !== '')
    .flatMap((path) => {
      try {
        return [read(path)];
      } catch {
        return []; // Deleted, but not yet committed so.
      }
    })
    .filter(({ text }) => !text.includes('\0'));
}

/** One file of the repository. */
export function read(path: string): SourceFile {
  return { path, text: readFileSync(`${root}${path}`, 'utf8') };
}

// To parse a file is slow, and several checks ask for the imports of the same one.
const imports = new WeakMap<SourceFile, readonly string[]>();

/** Returns the import specifiers of a file, types included. */
export function importsOf(file: SourceFile): readonly string[] {
  const found = imports.get(file) ?? findImports(file);
  imports.set(file, found);
  return found;
}

function findImports(file: SourceFile): readonly string[] {
  const found: string[] = [];
  const add = (node: ts.Node | undefined): void => {
    if (node !== undefined && ts.isStringLiteralLike(node)) found.push(node.text);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal);
    else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
      add(node.moduleReference.expression);
    else if (
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require')
    )
      add(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
  return found;
}

/** The syntax tree of a file. */
function parse({ path, text }: SourceFile): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** Creates a program of src. */
export function sourceProgram(): ts.Program {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile) as { config: unknown };
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    { ...(config as object), include: ['src'] },
    ts.sys,
    root,
  );
  return ts.createProgram(fileNames, options);
}

/** The path of a file of a program, from the root. */
export function pathOf(file: ts.SourceFile): string {
  return file.fileName.startsWith(root) ? file.fileName.slice(root.length) : file.fileName;
}
