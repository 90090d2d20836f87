import { Corridor } from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';

export const clientOf = (platform: MockPlatform): Corridor =>
  new Corridor({ ...platform.clientOptions(), validation: 'strict' });
