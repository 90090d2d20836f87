import { CorridorError, identify } from './base.js';

/**
 * Another process has taken over a feed of changes, so the checkpoint was not stored. Roll back your transaction: the
 * other process reports the same changes again.
 */
export class LeaseLostError extends CorridorError {
  static {
    identify(this, 'LeaseLostError');
  }

  /** @internal */
  constructor(name: string) {
    super(
      'lease-lost',
      `the checkpoint ${JSON.stringify(name)} was not stored: another process holds its lease now. Roll back your transaction, and let that process continue`,
      { outcome: 'rejected', endpoint: 'payments.changes' },
    );
  }
}
