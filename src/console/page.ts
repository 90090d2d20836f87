import { buildConsole, type ConsolePage } from './build.js';

let page: Promise<ConsolePage> | undefined;

/** Returns the console. From source it is bundled on first use; the build of the package replaces this module by the page. */
export function consolePage(): Promise<ConsolePage> {
  return (page ??= buildConsole().then((built) => built.page));
}
