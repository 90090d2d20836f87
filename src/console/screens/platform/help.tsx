import type { JSX } from 'preact';
import { Facts, Screen, Section } from '../../components/layout.js';
import { useControl } from '../../control/use-control.js';

/** The version of the package, which the bundler sets. */
declare const PACKAGE_VERSION: string;

const keys = [
  ['/', 'Filter the list. Escape leaves the field.'],
  ['j, k', 'Open the next and the previous row.'],
  ['Escape', 'Close the details.'],
  ['?', 'Show this page.'],
] as const;

/** The keys of the console, the version and the seed of the mock, and where its documentation is. */
export function HelpScreen(): JSX.Element {
  // The list of all calls has the seed.
  const { data } = useControl<{ readonly seed: number | string }>('');
  return (
    <Screen title="Help">
      <Section title="Keys">
        <Facts facts={keys} />
      </Section>
      <Section title="This mock">
        <Facts
          facts={[
            ['Version', `corridor-sdk ${PACKAGE_VERSION}`],
            ['Seed', data && <span class="mono">{String(data.seed)}</span>],
            ['Base URL', <span class="mono">{location.origin}</span>],
            ['Control API', <a href="/__mock">all calls</a>],
            ['Documentation', <code>node_modules/corridor-sdk/docs/mock-server.md</code>],
          ]}
        />
      </Section>
    </Screen>
  );
}
