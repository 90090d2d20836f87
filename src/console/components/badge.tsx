import type { JSX } from 'preact';
import { formatStatus } from '../format/text.js';

/** The meaning of a color. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'neutral' | 'fault';

const tones: Readonly<Record<string, Tone>> = {
  PENDING_REVIEW: 'warn',
  CORRECTION_NEEDED: 'warn',
  CORRECTION_REQUESTED: 'warn',
  APPROVED: 'info',
  PROCESSING: 'info',
  COMPLETED: 'good',
  RETURNED: 'bad',
  REJECTED: 'bad',
  CANCELLED: 'neutral',
  SUSPENDED: 'bad',
  DRAFT: 'neutral',
  PAYMENT_HOLD: 'bad',
  OPEN: 'info',
};

/** Returns the color of a status. */
export const toneOf = (status: string): Tone => tones[status] ?? 'neutral';

/** Returns the color of the status that a client received: that of a fault if it received none. */
export const toneOfHttp = (status: string): Tone =>
  ({ 2: 'good', 3: 'info', 4: 'warn', 5: 'bad' } as const)[status.charAt(0)] ?? 'fault';

/** A short text with a color. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }): JSX.Element {
  return <span class={`badge tone-${tone}`}>{children}</span>;
}

/** The status of a record. */
export function StatusBadge({ status }: { readonly status: string }): JSX.Element {
  return <Badge tone={toneOf(status)}>{formatStatus(status)}</Badge>;
}
