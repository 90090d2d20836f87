import { accessSync, constants } from 'node:fs';
import { chromiumPath } from './chromium.ts';

/** Fails before any test if there is no Chromium. */
export function setup(): void {
  try {
    accessSync(chromiumPath, constants.X_OK);
  } catch {
    throw new Error(
      `${chromiumPath} does not exist. Install Debian's package chromium (apt-get install chromium), or set CORRIDOR_CHROMIUM to the program.`,
    );
  }
}
