import { basename } from 'node:path';
import type { MockPlatform, MockScenario } from '../../mock/index.js';
import { CommandError, UsageError } from '../command.js';
import { parseFile, readTextIfExists } from './files.js';

/** A scenario of the command line. */
interface NamedScenario {
  /** Its name in the platform. */
  readonly name: string;
  /** The name or file in the command line. */
  readonly source: string;
}

/** Adds the scenarios in files to those that the platform knows. Throws if one is unknown or invalid. */
export function addScenarios(platform: MockPlatform, sources: readonly string[]): NamedScenario[] {
  return sources.map((source) => {
    const known = platform.scenarios.list().map(({ name }) => name);
    if (known.includes(source)) return { name: source, source };
    const text = readTextIfExists(source);
    if (text === undefined)
      throw new UsageError(
        `--scenario ${source} is neither a file nor a scenario of the package (${known.join(', ')})`,
      );
    const name = basename(source, '.json');
    // The platform validates it.
    const scenario = parseFile(source, text) as MockScenario;
    withSource(source, () => platform.scenarios.add(name, scenario));
    return { name, source };
  });
}

/** Loads scenarios. Throws `CommandError` if one is invalid. */
export function loadScenarios(platform: MockPlatform, scenarios: readonly NamedScenario[]): void {
  for (const { name, source } of scenarios) withSource(source, () => platform.scenarios.load(name));
}

function withSource(source: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'MockPlatformError') throw error;
    throw new CommandError(`${source}: ${message.replace(/^scenarios\.(?:add|load): /, '')}`);
  }
}
