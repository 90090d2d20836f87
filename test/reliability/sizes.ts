const soak = process.env['CORRIDOR_SOAK'] === '1';

/** How large things are: seconds in CI, the full size with CORRIDOR_SOAK=1. */
export const sizes = {
  largeBody: (soak ? 300 : 64) * 1024 * 1024,
  bomb: (soak ? 300 : 64) * 1024 * 1024,
  callsOnOneSignal: soak ? 50_000 : 1_000,
  failures: soak ? 10_000 : 400,
} as const;
