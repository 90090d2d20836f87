import type { JSX } from 'preact';
import { Button } from '../../components/controls.js';
import { copyText } from '../../components/clipboard.js';
import { callControl } from '../../control/call.js';
import { notify } from '../../control/notices.js';
import type { ClockTime, MockCredentials, OrganizationSummary, Schemas } from '../../control/records.js';
import { toSignedCurl } from '../../format/code.js';

type CredentialFormat = (credentials: MockCredentials) => string | Promise<string>;

/** Returns a curl command with its token, which is valid on the mock's clock. */
async function signedCurl(credentials: MockCredentials): Promise<string> {
  const [{ endpoints }, { now, running }] = await Promise.all([
    callControl<Schemas>('schemas'),
    callControl<ClockTime>('clock.now'),
  ]);
  const path = endpoints.find(({ name }) => name === 'crypto.networks')?.path ?? '';
  const ahead = Math.floor((Date.parse(now) - Date.now()) / 1000);
  const time = running ? `$(($(date +%s) + ${ahead}))` : String(Math.floor(Date.parse(now) / 1000));
  return toSignedCurl(credentials, path, time);
}

/** The formats of credentials. */
const formats: readonly (readonly [title: string, format: CredentialFormat])[] = [
  [
    '.env',
    ({ baseUrl, apiKey, privateKey }) =>
      `CORRIDOR_BASE_URL=${baseUrl}\nCORRIDOR_API_KEY=${apiKey}\nCORRIDOR_PRIVATE_KEY="${privateKey.trim().replaceAll('\n', '\\n')}"\n`,
  ],
  ['curl', signedCurl],
  [
    'TypeScript',
    ({ baseUrl, apiKey, privateKey }) =>
      `import { Corridor } from 'corridor-sdk';\n\nconst corridor = new Corridor({\n  baseUrl: '${baseUrl}',\n  apiKey: '${apiKey}',\n  privateKey: \`${privateKey}\`,\n});\n`,
  ],
];

/** Buttons that copy the credentials of an organization. */
export function CredentialButtons({ organization }: { readonly organization: OrganizationSummary }): JSX.Element {
  const copy = async (title: string, format: CredentialFormat): Promise<void> => {
    try {
      const credentials = await callControl<MockCredentials>('credentials', [], organization.id);
      // The server knows its own address only: that of the page is the one that works here, also through a proxy.
      await copyText(await format({ ...credentials, baseUrl: location.origin }));
      notify('success', `Copied the credentials of ${organization.name} (${title}).`);
    } catch (error) {
      notify('failure', (error as Error).message);
    }
  };
  return (
    <>
      {formats.map(([title, format]) => (
        <Button
          key={title}
          label={`${title}: copy the credentials of ${organization.name}`}
          onClick={() => copy(title, format)}
        >
          {title}
        </Button>
      ))}
    </>
  );
}
