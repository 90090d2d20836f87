/** The console as one static page. */
export interface ConsolePage {
  readonly html: string;
  /** The policy that allows only the script and the style of this page, and requests to its own origin. */
  readonly contentSecurityPolicy: string;
}

let page: Promise<ConsolePage> | undefined;

/**
 * Returns the console. From source it is bundled on first use; the build of the package replaces this module by the
 * page.
 */
export function consolePage(): Promise<ConsolePage> {
  return (page ??= import('../../../scripts/package/console-page.js').then(async ({ buildConsole }) => {
    return (await buildConsole()).page;
  }));
}
