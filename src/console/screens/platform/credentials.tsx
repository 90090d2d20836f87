import type { JSX } from 'preact';
import { CopyButton } from '../../components/controls.js';
import { callControl } from '../../control/call.js';
import type { ClockTime, OrganizationSummary } from '../../../mock/control/calls.js';
import type { MockCredentials } from '../../../mock/index.js';
import type { Exchange } from '../../../mock/wire/request-log.js';
import { toCurl } from '../../format/code.js';

/** The path of an endpoint that needs no records, which the bundler sets. */
declare const FIRST_PATH: string;

type CredentialFormat = (credentials: MockCredentials, organization: string) => string | Promise<string>;

/** The server knows its own address only: that of the page is the one that works here, also through a proxy. */
async function credentialsOf(organization: string | undefined): Promise<MockCredentials> {
  return { ...(await callControl<MockCredentials>('credentials', [], organization)), baseUrl: location.origin };
}

type SentRequest = Pick<Exchange['request'], 'method' | 'path' | 'query' | 'body' | 'organization'>;

/**
 * Returns a curl command that sends a request again, with the credentials of its organization, or of the selected one
 * if its API key was unknown. The token is valid on the clock of that organization.
 */
export async function signedCurl({ organization: sender, ...request }: SentRequest): Promise<string> {
  const organization = sender ?? undefined;
  const { now, running } = await callControl<ClockTime>('clock.now', [], organization);
  const ahead = Math.floor((Date.parse(now) - Date.now()) / 1000);
  const time = running ? `$(($(date +%s) + ${ahead}))` : String(Math.floor(Date.parse(now) / 1000));
  return toCurl(await credentialsOf(organization), request, time);
}

/** The formats of credentials. */
const formats: readonly (readonly [title: string, format: CredentialFormat])[] = [
  [
    '.env',
    ({ baseUrl, apiKey, privateKey }) =>
      `CORRIDOR_BASE_URL=${baseUrl}\nCORRIDOR_API_KEY=${apiKey}\nCORRIDOR_PRIVATE_KEY="${privateKey.trim().replaceAll('\n', '\\n')}"\n`,
  ],
  [
    'curl',
    (_, organization) => signedCurl({ method: 'GET', path: FIRST_PATH, query: {}, body: undefined, organization }),
  ],
  [
    'TypeScript',
    ({ baseUrl, apiKey, privateKey }) =>
      `import { Corridor } from 'corridor-sdk';\n\nconst corridor = new Corridor({\n  baseUrl: ` +
      `'${baseUrl}',\n  apiKey: '${apiKey}',\n  privateKey: \`${privateKey}\`,\n});\n`,
  ],
];

interface CredentialButtonsProps {
  readonly organization: OrganizationSummary;
}

/** Buttons that copy the credentials of an organization. */
export function CredentialButtons({ organization: { id, name } }: CredentialButtonsProps): JSX.Element {
  const textOf = async (format: CredentialFormat): Promise<string> => format(await credentialsOf(id), id);
  return (
    <>
      {formats.map(([title, format]) => (
        <CopyButton key={title} text={() => textOf(format)} label={`${title}: copy the credentials of ${name}`}>
          {title}
        </CopyButton>
      ))}
    </>
  );
}
