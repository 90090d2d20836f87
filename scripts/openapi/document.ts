import { resolveDialect } from '../../src/contract/dialect.ts';
import { errorBody } from '../../src/contract/error-body.ts';
import { makeExamples } from './examples.ts';
import { pathsOf } from './operations.ts';
import { refusalComponents } from './refusals.ts';
import { Components, type Json } from './schemas.ts';
import { checker, declared } from './source.ts';
import { namespaceDocs, namespaces } from './table.ts';

/** Nobody's host: whoever uses the document puts the platform's base URL in its place. */
const server = 'https://api.platform.example';

const about = `The API of the cross-border payment platform, generated from the contract that corridor-sdk and its mock are made of.

Requests are exact: their fields, values and limits are all there are. Answers are open: the platform may add fields, values of
\`x-extensible-enum\` and variants, and a client must take them.

The platform's specification is silent in places. What is assumed there is marked \`x-assumed\`, with the row of corridor-sdk's
\`docs/assumptions.md\` that tells what and how to override it.`;

const token = `A JWT signed with RS256 by the partner's private key, made anew for every request and good for about a minute. Its claims:
\`iat\` and \`exp\` in seconds, a unique \`jti\`, \`uri\` (path and query exactly as sent) and \`bodyHash\` (SHA-256 of the body's bytes in
hex; of no bytes where there is no body).`;

/** The OpenAPI document of the platform. */
export async function openapiDocument(): Promise<Json> {
  const components = new Components();
  const examples = await makeExamples(server);
  const paths = pathsOf(components, examples);
  const refusalBody = components.reference(errorBody(), checker.getDeclaredTypeOfSymbol(declared('ErrorBody')), 'answer');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cross-border payment platform',
      version: '1.0',
      summary: 'Payments of customers to beneficiaries in other countries.',
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server, description: 'A placeholder: the platform\'s base URL belongs here.' }],
    security: [{ apiKey: [], token: [] }],
    tags: namespaces.map((name) => ({ name, description: `${namespaceDocs(name)}.` })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The secret key of the partner\'s application.' },
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: token, 'x-assumed': 'A-2' },
      },
      headers: {
        RequestId: {
          description: `The id of the request, for questions to the platform; maybe in ${resolveDialect().requestIdHeaders.slice(1).join(' or ')} instead.`,
          schema: { type: 'string' },
          'x-assumed': 'A-13',
        },
      },
      responses: refusalComponents(refusalBody, (status) => examples.refusals(status)),
      schemas: components.all(),
    },
  };
}
