import { HttpError } from './http-error.js';
import type { ResolvedOptions } from '../options.js';
import type { OrganizationState } from '../store/organization.js';

/**
 * Counts a request against its organization's rate limit. Throws an `HttpError` with the delay until the next window if
 * the limit is reached.
 */
export function takeQuota(organization: OrganizationState, rateLimit: NonNullable<ResolvedOptions['rateLimit']>): void {
  const now = organization.platform.clock.now();
  const { quota } = organization;
  const isExpired = quota === undefined || now >= quota.since + rateLimit.span || now < quota.since;
  const { since, count } = isExpired ? { since: now, count: 0 } : quota;
  if (count >= rateLimit.requests) {
    const seconds = Math.ceil((since + rateLimit.span - now) / 1000);
    throw new HttpError(
      429,
      'rate_limited',
      `the rate limit of ${rateLimit.requests} requests in ${rateLimit.span / 1000} s is exceeded; retry after ${seconds} s`,
      [],
      seconds,
    );
  }
  organization.quota = { since, count: count + 1 };
}
