import { resolveDialect } from '../../src/contract/dialect.ts';
import { errorBody } from '../../src/contract/schema/error-body.ts';
import { makeExamples } from './examples.ts';
import { pathsOf } from './operations.ts';
import { errorResponseComponents } from './error-responses.ts';
import { Components, type Json } from './schemas.ts';
import { checker, declared } from './source.ts';
import { namespaceDocs, namespaces } from './table.ts';

/** A placeholder for the platform's base URL. */
const server = 'https://api.platform.example';

const about = `The API of the cross-border payment platform, generated from the contract that corridor-sdk and its mock are based on.

Requests are exact: other fields and values are invalid. Responses are open: the platform may add fields, values of
\`x-extensible-enum\` and variants, and a client must accept them.

Assumptions that the platform's specification does not confirm are marked with \`x-assumed\` and the row of corridor-sdk's
\`docs/assumptions.md\` that describes the assumption and how to override it.`;

const token = `A JWT signed with RS256 by the partner's private key, created for each request and valid for about one minute. Its claims:
\`iat\` and \`exp\` in seconds, a unique \`jti\`, \`uri\` (path and query exactly as sent) and \`bodyHash\` (SHA-256 of the body's bytes in
hex; of zero bytes if there is no body).`;

/** Generates the OpenAPI document of the platform. */
export async function openapiDocument(): Promise<Json> {
  const components = new Components();
  const examples = await makeExamples(server);
  const paths = pathsOf(components, examples);
  const body = components.reference(errorBody(), checker.getDeclaredTypeOfSymbol(declared('ErrorBody')), 'response');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cross-border payment platform',
      version: '1.0',
      summary: 'Payments of customers to beneficiaries in other countries.',
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server, description: "A placeholder for the platform's base URL." }],
    security: [{ apiKey: [], token: [] }],
    tags: namespaces.map((name) => ({ name, description: `${namespaceDocs(name)}.` })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: "The secret key of the partner's application.",
        },
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: token, 'x-assumed': 'A-2' },
      },
      headers: {
        RequestId: {
          description: `The id of the request, for support requests to the platform; may be in ${resolveDialect().requestIdHeaders.slice(1).join(' or ')} instead.`,
          schema: { type: 'string' },
          'x-assumed': 'A-13',
        },
      },
      responses: errorResponseComponents(body, (status) => examples.errors(status)),
      schemas: components.all(),
    },
  };
}
