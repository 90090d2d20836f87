import { Corridor, type EndpointName } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { addExampleRecords, callExample, endpointExamples } from '../../specification/specification.ts';

/** An example of an endpoint: the call, the request that it sends, and the response of the mock. */
export interface Example {
  /** The program, with the call. */
  readonly code: string;
  /** The same request with curl. */
  readonly curl: string;
  readonly status: number;
  /** The body of the response, formatted; empty if there is no body. */
  readonly response: string;
}

const baseUrl = 'https://api.platform.example';

/** Calls an endpoint on a new mock with a fixed seed and a fixed clock, and records the request and the response. */
export async function exampleOf(name: EndpointName): Promise<Example> {
  const platform = createMockPlatform({ seed: 'site', baseUrl, now: () => Date.UTC(2026, 0, 15, 9) });
  addExampleRecords(platform);
  let request = new Request(baseUrl);
  let response = new Response();
  const corridor = new Corridor({
    ...platform.clientOptions(),
    maxRetries: 0,
    fetch: async (input, init) => {
      const sent = new Request(input, init);
      request = sent.clone();
      const received = await platform.fetch(sent);
      response = received.clone();
      return received;
    },
  });
  await callExample(corridor, name);
  return {
    code: programOf(name),
    curl: curlOf(request, await request.text()),
    status: response.status,
    response: formatted(await response.text()),
  };
}

function programOf(name: EndpointName): string {
  const args = endpointExamples[name].args.map(literal).join(', ');
  const call = `await corridor.${name}(${args});`;
  const lines = ["import { Corridor } from 'corridor-sdk';", '', 'const corridor = new Corridor();'];
  // What people copy pays an order once. It sends the same request.
  if (name === 'payments.create')
    lines.push(
      `const { payment } = await corridor.payments.createOnce(${args}, { idempotencyKey: 'order-4711' });`,
      'console.log(payment);',
    );
  else if (name === 'documents.delete') lines.push(call);
  else lines.push(`const result = ${call}`, 'console.log(result);');
  return lines.join('\n');
}

/** Prints a value as JavaScript, on one line if it is short. */
function literal(value: unknown): string {
  const text = (indent: number): string =>
    JSON.stringify(value, null, indent)
      .replaceAll(/"(\w+)":/g, '$1:')
      .replaceAll(/"([^"]*)"/g, "'$1'");
  const line = text(1).replaceAll(/\s*\n\s*/g, ' ');
  const shown = line.length <= 90 ? line : text(2);
  return shown.replaceAll(/\[\s+|(?<=')\s+\]/g, (bracket) => bracket.trim());
}

function curlOf({ method, url, headers }: Request, body: string): string {
  const type = headers.get('content-type');
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$CORRIDOR_BASE_URL${url.slice(baseUrl.length)}"`,
    '  -H "x-api-key: $CORRIDOR_API_KEY"',
    '  -H "authorization: Bearer $TOKEN"',
    ...(body === '' || type === null ? [] : [`  -H "content-type: ${type}"`, `  -d '${body}'`]),
  ].join(' \\\n');
}

function formatted(body: string): string {
  return body === '' ? '' : JSON.stringify(JSON.parse(body), null, 2);
}
