/**
 * Returns by how many milliseconds a platform's clock is ahead of this machine's, by the `Date` header of a response: 0
 * if the clocks can agree, otherwise the middle of what is possible; undefined without the header.
 */
export function clockOffset(headers: Headers, startedAt: number, endedAt: number): number | undefined {
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return undefined;
  // The header omits the fraction of its second, and is of any moment of the request.
  const [least, most] = [date - endedAt, date + 1000 - startedAt];
  return least <= 0 && most >= 0 ? 0 : (least + most) / 2;
}
