import { Corridor } from 'corridor-sdk';

// Everything that does not say otherwise is cached, as it was the default in Next 13 and 14.
export const fetchCache = 'default-cache';
export const revalidate = 3600;

export async function GET(request) {
  // Reading the request makes the route dynamic, so that it does not run during the build.
  void request.headers.get('host');
  const { items } = await new Corridor().payments.list({ limit: 1 });
  return Response.json(items);
}
