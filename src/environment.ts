import { ConfigurationError } from './errors/api.js';

/** Returns a variable of the environment; undefined if it is empty or the runtime has no environment. */
export function readEnvironment(name: string): string | undefined {
  // Read from globalThis, because the core also runs in runtimes without `process`.
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  };
  const variables = process?.env ?? {};
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return value === '' ? undefined : value;
}

/** Returns whether the code runs in a browser, or in an environment that looks like one. */
export function isBrowser(): boolean {
  const { window, document } = globalThis as { readonly window?: unknown; readonly document?: unknown };
  return window !== undefined || document !== undefined;
}

const loopback = /^(localhost|(.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Returns the host names that may use http. Throws in production, because the option is for tests. */
function httpHosts(hosts: readonly string[]): readonly string[] {
  if (hosts.length > 0 && readEnvironment('NODE_ENV') === 'production')
    throw new ConfigurationError(
      'dangerouslyAllowHttpHosts is for tests, and NODE_ENV is production. Omit it, and pass an https URL as baseUrl',
    );
  return hosts.map((host) => host.toLowerCase());
}

/** Validates a base URL, and returns it without slashes at its end. */
export function resolveBaseUrl(baseUrl: string, dangerouslyAllowHttpHosts: readonly string[] = []): string {
  const allowedHttpHosts = httpHosts(dangerouslyAllowHttpHosts);
  if (!URL.canParse(baseUrl))
    throw new ConfigurationError('baseUrl must be an absolute URL such as https://api.example.com');
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '')
    throw new ConfigurationError('baseUrl must not contain a user name or password. Remove them');
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(baseUrl))
    throw new ConfigurationError('baseUrl must not have a query or a fragment. Remove the part from "?" or "#" on');
  const allowsHttp = loopback.test(url.hostname) || allowedHttpHosts.includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsHttp)) {
    throw new ConfigurationError(
      'baseUrl must be https, because http would expose the API key (http is allowed for loopback addresses only). Pass an https URL, or for a mock on another host, its name in dangerouslyAllowHttpHosts',
    );
  }
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
}
