import type { ControlCall } from './calls/call.js';
import { clockCalls } from './calls/clock.js';
import { faultCalls } from './calls/faults.js';
import { organizationCalls } from './calls/organizations.js';
import { platformCalls } from './calls/platform.js';
import { inspectionCalls } from './calls/inspection.js';
import { recordCalls } from './calls/records.js';
import { snapshotCalls } from './calls/snapshots.js';

/** All calls of the control API. Their names are those of the platform's methods. */
export const controlCalls: ReadonlyMap<string, ControlCall> = new Map([
  ...organizationCalls,
  ...recordCalls,
  ...faultCalls,
  ...clockCalls,
  ...platformCalls,
  ...inspectionCalls,
  ...snapshotCalls,
]);
