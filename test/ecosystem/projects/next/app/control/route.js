export const fetchCache = 'default-cache';
export const revalidate = 3600;

// What Next does with a fetch that says nothing about caches: without this, the test could not fail.
export async function GET(request) {
  const response = await fetch(request.headers.get('x-upstream'));
  return new Response(await response.text());
}
