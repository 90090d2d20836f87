import { Corridor, MemoryJournal, type CorridorOptions, type Customer } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

/** A request as it left the client. */
export interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** A client and its requests. */
export interface Scripted {
  readonly corridor: Corridor;
  readonly sent: readonly Sent[];
}

/** Credentials that are not verified: signatures are tested elsewhere. */
export const unchecked: CorridorOptions = {
  baseUrl: 'https://platform.example',
  apiKey: 'key-of-the-tests',
  signer: () => Promise.resolve(new Uint8Array(256)),
};

/**
 * A client without a platform, for responses that no platform should send: `respond` returns the response to the n-th
 * request, as a value that is sent as JSON or as a Response.
 */
export function scripted(respond: (sent: Sent, index: number) => unknown, options: CorridorOptions = {}): Scripted {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const text = await request.clone().text();
    sent.push({
      method: request.method,
      url: new URL(request.url),
      headers: request.headers,
      signal: request.signal,
      body: text === '' ? undefined : JSON.parse(text),
    });
    const given = await respond(sent.at(-1) as Sent, sent.length - 1);
    return given instanceof Response ? given : Response.json(given);
  };
  return { corridor: new Corridor({ ...unchecked, fetch, journal: new MemoryJournal(), ...options }), sent };
}

/** A client that has nothing to send to: whatever is sent fails the test, by its own error. */
export function silent(options: CorridorOptions = {}): Scripted {
  return scripted(
    (request) => {
      throw new Error(`nothing should have been sent, but ${request.method} ${request.url.href} was`);
    },
    { maxRetries: 0, ...options },
  );
}

const template = createMockPlatform({ seed: 1 }).customers.add({ status: 'APPROVED', addressLine2: '' });

/** The n-th customer of a scripted list. */
export function customer(n: number): Customer {
  return { ...template, id: `cus_${n}`, companyName: `Company ${n}` };
}
