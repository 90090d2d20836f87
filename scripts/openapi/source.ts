import { fileURLToPath } from 'node:url';
import ts from 'typescript';

// Reads from the contract's source what its schemas do not have: names of records, docstrings and assumptions.

const root = fileURLToPath(new URL('../../', import.meta.url));
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile) as { config: object };
const { options, fileNames } = ts.parseJsonConfigFileContent(
  { ...config, include: ['src/contract', 'src/resources'] },
  ts.sys,
  root,
);
const program = ts.createProgram(fileNames, options);

/** The type checker of src. */
export const checker = program.getTypeChecker();

/** Returns the files of src whose path has a prefix. */
export const filesIn = (path: string): ts.SourceFile[] =>
  program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${root}src/${path}`));
/** Returns a node and all its descendants. */
export const everyNode = (node: ts.Node): ts.Node[] => [node, ...node.getChildren().flatMap(everyNode)];

/** Returns the rows of docs/assumptions.md that a text refers to. */
export function assumedIn(text: string): string[] {
  return [...text.matchAll(/Assumed: (.*?)(?:\*\/|$)/gm)].flatMap(([, rest = '']) => rest.match(/\bA-\d+/g) ?? []);
}

/** Resolves an alias, such as an import, to its symbol. */
export function resolved(symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** Returns the docstring of a symbol as one line, without the parts that apply only to TypeScript. */
export function docsOf(symbol: ts.Symbol | undefined): string {
  const text = ts.displayPartsToString(symbol?.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ').trim();
  // JSON has no Date, and x-assumed has the assumptions.
  return text.replace(/ ?Assumed: .*$/, '').replaceAll(', or a `Date`', '');
}

/** Returns an exported interface or type of the contract by name. */
export function declared(name: string): ts.Symbol {
  for (const file of filesIn('contract/')) {
    const symbol = checker.getSymbolAtLocation(file)?.exports?.get(ts.escapeLeadingUnderscores(name));
    if (symbol !== undefined) return symbol;
  }
  throw new Error(`the contract declares no ${name}`);
}

/** Returns the name of a schema's type: `PaymentCreateParams` to `paymentCreateParams`. */
export function typeNameOf(schema: string): string {
  return `${schema.charAt(0).toUpperCase()}${schema.slice(1)}`;
}

/** The assumptions about a record and about each of its fields. */
interface Assumptions {
  readonly whole: readonly string[];
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

const assumptions = new Map<string, Assumptions>();
const builders = ['strictObject', 'requestObject', 'looseObject', 'discriminatedUnion'];
for (const call of filesIn('contract/').flatMap(everyNode).filter(ts.isCallExpression)) {
  if (!ts.isIdentifier(call.expression) || !builders.includes(call.expression.text)) continue;
  const name = call.typeArguments?.[0]?.getText() ?? nameOfConstant(call);
  const literal = call.arguments.find(ts.isObjectLiteralExpression);
  const known = assumptions.get(name);
  assumptions.set(name, {
    whole: unique([
      ...(known?.whole ?? []),
      ...assumedIn(commentsBefore(call)),
      ...(isWhole(call) ? assumedIn(docsAround(call)) : []),
    ]),
    fields: new Map([...(known?.fields ?? []), ...(literal === undefined ? [] : fieldsOf(literal))]),
  });
}

/** Returns the assumptions about a record or one of its fields, such as `A-8`. */
export function assumedOf(name: string, field?: string): readonly string[] {
  const found = assumptions.get(name);
  return (field === undefined ? found?.whole : found?.fields.get(field)) ?? [];
}

/** Sorts rows of docs/assumptions.md and removes duplicates. */
export function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)].toSorted((left, right) => Number(left.slice(2)) - Number(right.slice(2)));
}

function fieldsOf(literal: ts.ObjectLiteralExpression): [string, string[]][] {
  return literal.properties.flatMap((property): [string, string[]][] => {
    if (ts.isSpreadAssignment(property)) return spreadFields(property);
    if (!ts.isPropertyAssignment(property)) return [];
    return [
      [
        property.name.getText(),
        unique([
          ...assumedIn(commentsBefore(property)),
          ...assumedIn(commentBehind(property)),
          ...assumedOfSchemas(property.initializer),
        ]),
      ],
    ];
  });
}

function spreadFields({ expression }: ts.SpreadAssignment): [string, string[]][] {
  const name = ts.isCallExpression(expression) ? checker.getSymbolAtLocation(expression.expression) : undefined;
  const literal =
    name?.valueDeclaration === undefined
      ? undefined
      : everyNode(name.valueDeclaration).find(ts.isObjectLiteralExpression);
  if (literal === undefined) throw new Error(`cannot read ...${expression.getText()}`);
  return fieldsOf(literal);
}

/** Returns the assumptions of the schemas in an expression, such as `timestamp()`. Nested records have their own. */
function assumedOfSchemas(node: ts.Node): string[] {
  if (ts.isObjectLiteralExpression(node)) return [];
  const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
  const own =
    symbol === undefined ? [] : assumedIn(ts.displayPartsToString(resolved(symbol).getDocumentationComment(checker)));
  return [...own, ...node.getChildren().flatMap(assumedOfSchemas)];
}

function commentsBefore(node: ts.Node): string {
  const { text } = node.getSourceFile();
  return (ts.getLeadingCommentRanges(text, node.pos) ?? []).map(({ pos, end }) => text.slice(pos, end)).join('\n');
}

function commentBehind(node: ts.Node): string {
  return /^,?[ \t]*\/\/(.*)/.exec(node.getSourceFile().text.slice(node.end))?.[0] ?? '';
}

/** Checks whether a call is the whole value of a constant, whose docstring is then the record's. */
function isWhole({ expression, parent }: ts.CallExpression): boolean {
  return expression.getText() === 'discriminatedUnion' || ts.isArrowFunction(parent);
}

function constantAround(node: ts.Node): ts.VariableStatement | undefined {
  return ts.findAncestor(
    node,
    (outer): outer is ts.VariableStatement => ts.isVariableStatement(outer) && ts.isSourceFile(outer.parent),
  );
}

function docsAround(node: ts.Node): string {
  const constant = constantAround(node);
  return constant === undefined
    ? ''
    : ts
        .getJSDocCommentsAndTags(constant)
        .map((docs) => docs.getText())
        .join('\n');
}

/** Returns the name of the type that a constant is the schema of: `paymentListParams` of `PaymentListParams`. */
function nameOfConstant(node: ts.Node): string {
  return typeNameOf(constantAround(node)?.declarationList.declarations[0]?.name.getText() ?? '');
}
