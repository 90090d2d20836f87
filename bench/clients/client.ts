/** The address of the server, and the key that signs requests to it. */
export interface ClientSettings {
  readonly url: string;
  /** PKCS#8 PEM text. */
  readonly privateKey: string;
}

export const apiKey = 'corridor_test_bench';

/** The path of the record that every client reads. */
export const recordPath = '/api/v1/customers/cus_1';

/** Reads one record of about 1 KB, once. */
export type ReadRecord = () => Promise<unknown>;
