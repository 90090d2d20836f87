import ts from 'typescript';
import { endpointNames, type EndpointName } from '../../src/contract/endpoints.ts';
import { assumedIn, checker, declared, docsOf, filesIn, everyNode, typeNameOf } from './source.ts';

/** What the source says of an endpoint beside its row of the table. */
export interface EndpointSource {
  /** The type of its answer's body. */
  readonly result: ts.Type;
  /** The type of the body it takes. */
  readonly body: ts.Type | undefined;
  /** The type of the filters it takes. */
  readonly query: ts.Type | undefined;
  /** The name of that type. */
  readonly queryName: string;
  /** What is assumed of its answer. */
  readonly assumed: readonly string[];
  /** What it does, in a few words. */
  readonly summary: string;
  /** What the ids of its path are called by the client, in order. */
  readonly ids: readonly string[];
}

const [table] = filesIn('contract/endpoints.ts').flatMap(everyNode).filter((node) => ts.isVariableDeclaration(node) && node.name.getText() === 'endpoints');
const rows = new Map((table === undefined ? [] : everyNode(table)).filter(ts.isPropertyAssignment).filter(({ name }) => ts.isStringLiteral(name)).map((row) => [(row.name as ts.StringLiteral).text, row]));

/** What the source says of an endpoint. */
export function sourceOf(name: EndpointName): EndpointSource {
  const row = rows.get(name);
  if (row === undefined) throw new Error(`no row for ${name}`);
  const satisfied = everyNode(row).find(ts.isSatisfiesExpression)?.type;
  const [result] = satisfied !== undefined && ts.isTypeReferenceNode(satisfied) ? (satisfied.typeArguments ?? []) : [];
  if (result === undefined) throw new Error(`the row of ${name} satisfies no Endpoint<…>`);
  const [body, query] = (['body', 'query'] as const).map((part) => everyNode(row).filter(ts.isPropertyAssignment).find((property) => property.name.getText() === part)?.initializer.getText());
  const { summary, ids } = methodOf(name);
  return {
    result: checker.getTypeFromTypeNode(result),
    body: body === undefined ? undefined : typeOf(typeNameOf(body)),
    query: query === undefined ? undefined : typeOf(typeNameOf(query)),
    queryName: query === undefined ? '' : typeNameOf(query),
    assumed: assumedIn(row.getFullText()),
    summary,
    ids,
  };
}

/** A namespace of the client, as its class describes it. */
export function namespaceDocs(namespace: string): string {
  return docsOf(checker.getSymbolAtLocation(classOf(namespace).name as ts.Identifier)).replace(/: `corridor\..*$/, '');
}

/** The namespaces of the endpoints, each once. */
export const namespaces: readonly string[] = [...new Set(endpointNames.map((name) => name.split('.')[0] ?? ''))];

function typeOf(name: string): ts.Type {
  return checker.getDeclaredTypeOfSymbol(declared(name));
}

function classOf(namespace: string): ts.ClassDeclaration {
  const [found] = filesIn(`resources/${namespace}.ts`).flatMap(everyNode).filter(ts.isClassDeclaration);
  if (found?.name === undefined) throw new Error(`no class for ${namespace}`);
  return found;
}

function methodOf(name: EndpointName): Pick<EndpointSource, 'summary' | 'ids'> {
  const [namespace = '', call = ''] = name.split('.');
  const method = classOf(namespace).members.filter(ts.isMethodDeclaration).find((member) => member.name.getText() === call);
  if (method === undefined) throw new Error(`the client has no ${name}`);
  const [summary = ''] = docsOf(checker.getSymbolAtLocation(method.name)).split(/[.;](?= |$)/);
  return { summary, ids: method.parameters.map((parameter) => parameter.name.getText()).filter((parameter) => parameter.endsWith('Id')) };
}
