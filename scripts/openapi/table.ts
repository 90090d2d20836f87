import ts from 'typescript';
import { endpointNames, type EndpointName } from '../../src/contract/endpoints.ts';
import { assumedIn, checker, declared, docsOf, filesIn, everyNode, typeNameOf } from './source.ts';

/** The types and docstrings of an endpoint in the source. */
export interface EndpointSource {
  /** The type of its response body, if the contract has one. */
  readonly result: ts.Type | undefined;
  /** The type of its request body. */
  readonly body: ts.Type | undefined;
  /** The type of its filters. */
  readonly query: ts.Type | undefined;
  /** The name of the filters' type. */
  readonly queryName: string;
  /** The assumptions about its response. */
  readonly assumed: readonly string[];
  /** Its summary. */
  readonly summary: string;
  /** The client's names of the ids in its path, in order. */
  readonly ids: readonly string[];
}

const [table] = filesIn('contract/endpoints.ts')
  .flatMap(everyNode)
  .filter((node) => ts.isVariableDeclaration(node) && node.name.getText() === 'endpoints');
const rows = new Map(
  (table === undefined ? [] : everyNode(table))
    .filter(ts.isPropertyAssignment)
    .filter(({ name }) => ts.isStringLiteral(name))
    .map((row) => [(row.name as ts.StringLiteral).text, row]),
);

/** Returns the types and docstrings of an endpoint. */
export function sourceOf(name: EndpointName): EndpointSource {
  const row = rows.get(name);
  if (row === undefined) throw new Error(`no row for ${name}`);
  const [result, body, query] = (['result', 'body', 'query'] as const).map(
    (part) =>
      everyNode(row)
        .filter(ts.isPropertyAssignment)
        .find((property) => property.name.getText() === part)?.initializer,
  );
  const { summary, ids } = methodOf(name);
  return {
    result: result && checker.getTypeAtLocation(result).aliasTypeArguments?.[0],
    body: body && typeOf(typeNameOf(body.getText())),
    query: query && typeOf(typeNameOf(query.getText())),
    queryName: query === undefined ? '' : typeNameOf(query.getText()),
    assumed: assumedIn(row.getFullText()),
    summary,
    ids,
  };
}

/** Returns the description of a namespace from the docstring of its class. */
export function namespaceDocs(namespace: string): string {
  return docsOf(checker.getSymbolAtLocation(classOf(namespace).name as ts.Identifier)).replace(/: `corridor\..*$/, '');
}

/** The namespaces of the endpoints, without duplicates. */
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
  const method = classOf(namespace)
    .members.filter(ts.isMethodDeclaration)
    .find((member) => member.name.getText() === call);
  if (method === undefined) throw new Error(`the client has no ${name}`);
  const [summary = ''] = docsOf(checker.getSymbolAtLocation(method.name)).split(/[.;](?= |$)/);
  return {
    summary,
    ids: method.parameters.map((parameter) => parameter.name.getText()).filter((parameter) => parameter.endsWith('Id')),
  };
}
