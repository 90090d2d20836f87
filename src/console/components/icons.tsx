import type { JSX } from 'preact';

const paths = {
  requests: 'M3 5h10M3 8h10M3 11h6',
  payments: 'M2 5.5h12v7H2zM2 8h12M4.5 10.5h2',
  customers: 'M3 14V3h7v11M10 7h3v7M5.5 5.5h2M5.5 8h2M5.5 10.5h2M2 14h12',
  beneficiaries: 'M2 6.5 8 3l6 3.5M3.5 7v5M6.5 7v5M9.5 7v5M12.5 7v5M2 13.5h12',
  persons: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c.6-2.6 2.6-3.7 5-3.7s4.400 1.100 5 3.700',
  quotes: 'M4 2.500h8v11l-2-1.300-2 1.300-2-1.300-2 1.300zM6 5.500h4M6 8h4',
  tickets: 'M2.500 3.500h11v7.500H8l-3 2.500v-2.500H2.500z',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z',
  documents: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.800V8l2.200 1.500',
  faults: 'M9 2 4 9h3.500L7 14l5-7H8.500z',
  assumptions: 'M3 5h6M12 5h1M3 11h1M7 11h6M10.500 3.500v3M5.500 9.500v3',
  state:
    'M8 6.500c3 0 5-.8 5-2s-2-2-5-2-5 .8-5 2 2 2 5 2ZM3 4.500v7c0 1.200 ' +
    '2 2 5 2s5-.8 5-2v-7M3 8c0 1.200 2 2 5 2s5-.8 5-2',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.200 6.300a1.800 1.800 0 1 1 2.600 1.700c-.6.3-.8.6-.8 1.200M8 11v.300',
  play: 'M5 3.500v9l7-4.500z',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** A decorative icon of 16 × 16 units. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
