import { createMockPlatform } from 'corridor-sdk/mock';
import { mockHandlers } from 'corridor-sdk/mock/msw';
import { getResponse } from 'msw';

async function main(): Promise<void> {
  const platform = createMockPlatform({ seed: 1 });
  const { baseUrl } = await platform.credentials();
  const rejected = await getResponse(mockHandlers(platform), new Request(`${baseUrl}/api/v1/customers`));
  if (rejected?.status !== 401) throw new Error('not as expected: an error response of the handlers of msw');
}

void main();
