import { Refusal } from './refusal.js';
import type { OrganizationState } from './state.js';

/** Counts a request against its organization's rate limit. Throws a `Refusal` that says how long to wait where that is used up. */
export function takeQuota(organization: OrganizationState): void {
  const { clock, options: { rateLimit } } = organization.platform;
  if (rateLimit === undefined) return;
  const now = clock.now();
  const { quota } = organization;
  const isOver = quota === undefined || now >= quota.since + rateLimit.span || now < quota.since;
  const { since, count } = isOver ? { since: now, count: 0 } : quota;
  if (count >= rateLimit.requests) {
    const seconds = Math.ceil((since + rateLimit.span - now) / 1000);
    throw new Refusal(429, 'rate_limited', `this organization may send ${rateLimit.requests} requests in ${rateLimit.span / 1000} s; wait ${seconds} s`, [], seconds);
  }
  organization.quota = { since, count: count + 1 };
}
