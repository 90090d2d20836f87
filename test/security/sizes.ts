const soak = process.env['CORRIDOR_SOAK'] === '1';

/** How large things are: seconds in CI, the full size by CORRIDOR_SOAK=1. */
export const sizes = {
  bodies: soak ? 100_000 : 500,
  sends: soak ? 10_000 : 300,
  parallel: soak ? 1_000 : 150,
  // Every how many bits of a key one is flipped.
  flipEvery: soak ? 1 : 97,
} as const;

/** For tests of such sizes. */
export const patience = { timeout: 3_600_000 } as const;
