import ts from 'typescript';
import { pathOf, sourceProgram } from './repository/tree.ts';

// Prints every value of type `any` in src, written or inferred, and every comment that silences a checker.

function findAny(program: ts.Program): string[] {
  const checker = program.getTypeChecker();
  const isAny = (node: ts.Node): boolean => (checker.getTypeAtLocation(node).flags & ts.TypeFlags.Any) !== 0;
  return program
    .getSourceFiles()
    .filter((file) => pathOf(file).startsWith('src/'))
    .flatMap((file) => {
      const found: string[] = [];
      const report = (node: ts.Node, what: string): void => {
        found.push(`${pathOf(file)}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1} ${what}`);
      };
      const visit = (node: ts.Node): void => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) report(node, 'says any');
        else if (isDeclaration(node) && isAny(node.name)) report(node, `${node.name.getText(file)} is any`);
        else if (
          (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node)) &&
          node.expression.kind !== ts.SyntaxKind.ImportKeyword &&
          isAny(node.expression)
        )
          report(node, `uses ${node.expression.getText(file)}, which is any`);
        else if (ts.isFunctionLike(node) && returnsAny(node, checker)) report(node, 'returns any');
        ts.forEachChild(node, visit);
      };
      visit(file);
      for (const [comment] of file.text.matchAll(
        /(?:\/\/|\/\*+)\s*(?:@ts-(?:ignore|expect-error|nocheck)|(?:oxlint|eslint|biome)-(?:disable|ignore))\S*/g,
      ))
        found.push(`${pathOf(file)} has the comment ${comment}`);
      return found;
    });
}

function isDeclaration(node: ts.Node): node is ts.NamedDeclaration & { name: ts.Identifier } {
  return (
    (ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isPropertySignature(node) ||
      ts.isPropertyDeclaration(node)) &&
    ts.isIdentifier(node.name)
  );
}

function returnsAny(node: ts.SignatureDeclaration, checker: ts.TypeChecker): boolean {
  const signature = checker.getSignatureFromDeclaration(node);
  if (signature === undefined || ts.isConstructorDeclaration(node)) return false;
  const type = checker.getReturnTypeOfSignature(signature);
  return [type, checker.getAwaitedType(type)].some(
    (returned) => returned !== undefined && (returned.flags & ts.TypeFlags.Any) !== 0,
  );
}

const found = findAny(sourceProgram());
for (const line of found) console.error(line);
if (found.length > 0) process.exitCode = 1;
