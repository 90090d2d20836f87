import type { MockPlatformServer } from 'corridor-sdk/mock/node';
import { expect } from 'vitest';

interface ControlResponse {
  readonly status: number;
  readonly result: unknown;
}

/** Sends a call to the control API of a platform, and returns the response. */
export async function control(
  { url }: MockPlatformServer,
  call: string,
  args?: unknown,
  organization?: string,
): Promise<ControlResponse> {
  const query = organization === undefined ? '' : `?organization=${organization}`;
  const response = await fetch(`${url}/__mock/${call}${query}`, {
    method: 'POST',
    ...(args !== undefined && { body: JSON.stringify(args) }),
  });
  expect(response.headers.get('content-type')).toBe('application/json');
  return { status: response.status, result: await response.json() };
}
