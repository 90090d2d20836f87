import { Corridor, InvalidResponseError } from 'corridor-sdk';

// A program that reads a page of 800 KB in which every item lacks every field, and prints the result.
const text = `{"items":[${'{},'.repeat(260_000)}{}],"nextCursor":null,"hasMore":false}`;
const corridor = new Corridor({
  baseUrl: 'https://platform.example',
  apiKey: 'key-of-the-tests',
  maxRetries: 0,
  signer: () => Promise.resolve(new Uint8Array(256)),
  fetch: () => Promise.resolve(new Response(text)),
});
try {
  await corridor.customers.list();
} catch (error) {
  process.stdout.write(
    error instanceof InvalidResponseError ? `${error.code}, ${error.issues.length} issues` : String(error),
  );
}
