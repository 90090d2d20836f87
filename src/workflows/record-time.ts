import { InvalidResponseError } from '../errors.js';

/** A time of the platform's, in milliseconds since the epoch; not a number where it cannot be read. One without a zone is UTC. Assumed: A-7 */
export function timeOf(timestamp: string): number {
  const text = timestamp.trim().replace(/^(\d{4}-\d\d-\d\d) /, '$1T');
  return Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text);
}

/** When a payment was created. The list can be asked by that time only, so that one which cannot be read is an error. */
export function createdAtOf(payment: { readonly createdAt: string }): number {
  const time = timeOf(payment.createdAt);
  if (!Number.isNaN(time)) return time;
  const issues = [{ path: 'createdAt', message: 'is not a date-time' }];
  throw new InvalidResponseError('payments.list: a payment cannot be followed, because its createdAt is not a date-time', { endpoint: 'payments.list', outcome: 'applied', issues });
}

/** A time as the list takes it. */
export function filterTime(time: number): string {
  return new Date(time).toISOString();
}
