export { telemetryHooks, type TelemetryOptions } from './hooks.js';
export { observeAllClients } from './all-clients.js';
export { observeJournal, type JournalTelemetryOptions } from './journal.js';
export { observeMirror, type MirrorTelemetryOptions } from './mirror.js';
