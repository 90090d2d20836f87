import { MockPlatformError } from '../error.js';
import { copyOf } from '../frozen.js';
import type { MockOrganization } from '../organization.js';
import { requireValid } from '../require-valid.js';
import type { PlatformState } from '../store/state.js';
import { loadScenario } from './load.js';
import { scenarioSchema, type MockScenario } from './scenario.js';
import { mockScenarios, type MockScenarioName } from './stories.js';

/**
 * The scenarios of a platform: those of the package, and those that you add.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * platform.scenarios.load('returned-payout');
 * platform.clock.advance({ hours: 1 });
 * console.log(platform.payments.get('pay_returned')?.status); // RETURNED
 * ```
 */
export interface MockScenarios {
  /** Returns the names of all scenarios, with their descriptions. */
  list(): { readonly name: string; readonly description: string }[];
  /**
   * Adds a scenario, which `load` and the control API then accept by its name. Throws `MockPlatformError` if it is
   * invalid or the name already exists.
   */
  add(name: string, scenario: MockScenario): void;
  /**
   * Adds the records, faults and scheduled changes of a scenario to the first organization, and sets the clock and the
   * behavior if the scenario has them. Throws `MockPlatformError` if the scenario is unknown or invalid; then nothing is
   * changed.
   */
  load(scenario: MockScenario | MockScenarioName | (string & {})): void;
}

/** Creates the scenarios of a platform, which are loaded into an organization. */
export function createScenarios(state: PlatformState, organization: MockOrganization): MockScenarios {
  const byName = new Map<string, MockScenario>(Object.entries(mockScenarios));
  return {
    list: () => [...byName].map(([name, { description = '' }]) => ({ name, description })),
    add: (name, scenario) => {
      requireValid('scenarios.add', scenarioSchema, scenario, 'the scenario');
      if (byName.has(name))
        throw new MockPlatformError(
          `scenarios.add: the name ${JSON.stringify(name)} already exists. Pass another one.`,
        );
      byName.set(name, copyOf(scenario));
    },
    load: (scenario) => {
      const loaded: unknown = typeof scenario === 'string' ? byName.get(scenario) : scenario;
      if (loaded === undefined)
        throw new MockPlatformError(
          `scenarios.load: unknown scenario ${JSON.stringify(scenario)} (expected: ${[...byName.keys()].join(', ')})`,
        );
      requireValid('scenarios.load', scenarioSchema, loaded, 'the scenario');
      const rollBack = state.savepoint();
      try {
        loadScenario({ organization, clock: state.clock, configure: (behavior) => state.configure(behavior) }, loaded);
      } catch (error) {
        rollBack();
        throw error;
      }
    },
  };
}
