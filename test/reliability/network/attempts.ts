import type { CorridorError } from 'corridor-sdk';

export const attemptErrors = (error: CorridorError) =>
  error.attempts.map(({ errorType, status }) => errorType ?? status);
