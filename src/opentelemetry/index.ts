export { telemetryHooks, type TelemetryOptions } from './hooks.js';
export { observeAllClients } from './all-clients.js';
export { observeJournal, type JournalTelemetryOptions } from './journal-metrics.js';
export { observeMirror, type MirrorTelemetryOptions } from './mirror-metrics.js';
