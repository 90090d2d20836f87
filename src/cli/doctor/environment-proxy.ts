/** The parts of Node's `process` that decide on the proxy. */
export interface ProxySettings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly execArgv?: readonly string[];
  readonly versions?: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the proxy that Node's own fetch uses for an HTTPS URL: as its undici reads the environment, and enabled as Node
 * does.
 */
export function environmentProxy(
  target: URL,
  { env = {}, execArgv = [], versions = {} }: ProxySettings,
): URL | undefined {
  // The last flag wins: those of the command line follow those of NODE_OPTIONS.
  const flag = [...(env['NODE_OPTIONS'] ?? '').split(/\s+/), ...execArgv].findLast((word) =>
    /^--(no-)?use-env-proxy$/.test(word),
  );
  const isEnabled = flag === undefined ? env['NODE_USE_ENV_PROXY'] === '1' : flag === '--use-env-proxy';
  if (!isEnabled || target.protocol !== 'https:' || isDirect(target, env, versions)) return undefined;
  // An empty variable in lowercase hides the one in capitals. Without a proxy for HTTPS, that for HTTP is used.
  const [secure, plain] = [env['https_proxy'] ?? env['HTTPS_PROXY'], env['http_proxy'] ?? env['HTTP_PROXY']];
  const address = [secure, plain].find((value) => value !== undefined && value !== '') ?? '';
  return URL.canParse(address) ? new URL(address) : undefined;
}

function isDirect(
  { hostname, port }: URL,
  env: NonNullable<ProxySettings['env']>,
  versions: NonNullable<ProxySettings['versions']>,
): boolean {
  const list = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  if (list === '*') return true;
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = entry, ownPort = ''] = /^(.+):(\d+)$/.exec(entry) ?? [];
    if (name === '' || (Number(ownPort) !== 0 && ownPort !== (port === '' ? '443' : port))) return false;
    const host = name.toLowerCase();
    // In Node 22, an entry is either one host or, with a dot or an asterisk, the end of hosts.
    if (versions['undici']?.startsWith('6.') === true)
      return /^[.*]/.test(host) ? hostname.endsWith(host.replace(/^\*/, '')) : hostname === host;
    const domain = host.replace(/^\*?\./, '');
    return hostname === domain || hostname.endsWith(`.${domain}`);
  });
}
