import type { ClientSettings, ReadRecord } from './client.ts';

/** Every client that is measured, by the name it has in the tables. Nothing is imported before it is made. */
export const makers: Readonly<Record<string, (settings: ClientSettings) => Promise<ReadRecord>>> = {
  'corridor-sdk': async (settings) => (await import('./corridor.ts')).corridor(settings),
  'fetch + WebCrypto by hand': async (settings) => (await import('./floor.ts')).fetchFloor(settings),
  'ky + WebCrypto by hand': async (settings) => (await import('./floor.ts')).kyFloor(settings),
  'ky + SignJWT by hand': async (settings) => (await import('./libraries.ts')).kyWithJose(settings),
  'undici + WebCrypto by hand': async (settings) => (await import('./floor.ts')).undiciFloor(settings),
  'ky + jose + zod': async (settings) => (await import('./libraries.ts')).libraries(settings, 'zod'),
  'ky + jose + zod/mini': async (settings) => (await import('./libraries.ts')).libraries(settings, 'zod/mini'),
  '@fireblocks/ts-sdk': async (settings) => (await import('./peers.ts')).fireblocks(settings),
  stripe: async (settings) => (await import('./peers.ts')).stripe(settings),
  openai: async (settings) => (await import('./peers.ts')).openai(settings),
  'modern-treasury': async (settings) => (await import('./peers.ts')).modernTreasury(settings),
};
