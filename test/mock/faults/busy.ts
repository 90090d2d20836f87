import type { MockFault } from 'corridor-sdk/mock';

export const busy: MockFault = { kind: 'status', status: 503 };
