import { corridorMatchers, type CorridorMatchers } from 'corridor-sdk/mock';

declare global {
  namespace jest {
    interface Matchers<R> extends CorridorMatchers<R> {}
  }
}

expect.extend(corridorMatchers);
