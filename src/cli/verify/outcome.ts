import { CorridorError } from '../../index.js';

/** Checks whether a write may have taken effect although it failed: a rejected or unsent request changed nothing. */
export const mayHaveTakenEffect = (error: unknown): boolean =>
  !(error instanceof CorridorError) || (error.outcome !== 'rejected' && error.outcome !== 'not-sent');
