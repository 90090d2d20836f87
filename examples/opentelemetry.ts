import { Corridor } from 'corridor-sdk';
import { telemetryHooks } from 'corridor-sdk/opentelemetry';

/** A client whose calls are recorded as spans and metrics by the providers that your process has registered. */
export const createObservedClient = (): Corridor => new Corridor({ hooks: telemetryHooks() });

// node --import ./your-opentelemetry-setup.js examples/opentelemetry.ts
if (import.meta.main) {
  const networks = await createObservedClient().crypto.networks();
  console.log(networks.length, 'networks, in spans and metrics');
}
