import type { JSX } from 'preact';
import { statusTones, type StatusTone } from '../../presentation/status-tones.js';
import { formatStatus } from '../format/text.js';

/** The meaning of a color; `fault` is what a test injected. */
export type Tone = StatusTone | 'fault';

/** Returns the color of a status; of one that the contract does not have, such as that of a ticket, a neutral one. */
export const toneOf = (status: string): Tone => (statusTones as Readonly<Record<string, Tone>>)[status] ?? 'neutral';

/** Returns the color of the status that a client received: that of a fault if it received none. */
export const toneOfHttp = (status: string): Tone =>
  ({ 2: 'good', 3: 'info', 4: 'warn', 5: 'bad' } as const)[status.charAt(0)] ?? 'fault';

/** Returns the style that gives a badge, a banner or a dot its color. */
export const toneStyle = (tone: Tone): { readonly '--tone': string } => ({ '--tone': `var(--${tone})` });

/** A short text with a color. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }): JSX.Element {
  return (
    <span class="badge" style={toneStyle(tone)}>
      {children}
    </span>
  );
}

/** The status of a record. */
export function StatusBadge({ status }: { readonly status: string }): JSX.Element {
  return <Badge tone={toneOf(status)}>{formatStatus(status)}</Badge>;
}
