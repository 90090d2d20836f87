import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { toneStyle } from '../components/badge.js';
import { Icon, type IconName } from '../components/icons.js';
import { Screen } from '../components/layout.js';
import { TextForm, useKeys } from '../components/controls.js';
import { ControlCallError, signIn } from '../control/call.js';
import { connect, connection, reportChange } from '../control/connection.js';
import { notice } from '../control/notices.js';
import { linkTo, useRoute } from '../control/router.js';
import { AssumptionsScreen } from '../screens/platform/assumptions.js';
import { ClockScreen } from '../screens/platform/clock.js';
import { FaultsScreen } from '../screens/platform/faults.js';
import { HelpScreen } from '../screens/platform/help.js';
import { StateScreen } from '../screens/platform/state.js';
import { BoardScreen } from '../screens/board.js';
import { recordKinds } from '../screens/records/kinds.js';
import { RecordScreen } from '../screens/records/screen.js';
import { RequestsScreen } from '../screens/requests/screen.js';
import { useStore } from '../control/store.js';
import { useControl, useUpstream } from '../control/use-control.js';
import { TopBar } from './top-bar.js';

type Page = readonly [name: IconName, title: string, render: () => JSX.Element];

const groups: readonly (readonly [title: string, screens: readonly Page[]])[] = [
  [
    'Activity',
    [
      ['requests', 'Requests', RequestsScreen],
      ['board', 'Board', BoardScreen],
    ],
  ],
  ['Records', recordKinds.map((kind) => [kind.name, kind.title, () => <RecordScreen kind={kind} />] as const)],
  [
    'Platform',
    [
      ['clock', 'Clock', ClockScreen],
      ['faults', 'Faults', FaultsScreen],
      ['assumptions', 'Assumptions', AssumptionsScreen],
      ['state', 'State', StateScreen],
      ['help', 'Help', HelpScreen],
    ],
  ],
];

const screens = groups.flatMap(([, list]) => list);

/** The screens in front of a real platform, whose records and clock are not ours. */
const ofUpstream: readonly string[] = ['requests', 'faults', 'assumptions', 'help'];

const UnknownScreen = (): JSX.Element => (
  <Screen
    title="Unknown page"
    about={`The console has no page "${useRoute().screen}". Select one in the navigation.`}
  />
);

/** Asks for the control token. */
const SignInScreen = (): JSX.Element => (
  <Screen title="Control token" about="This server requires its control token, which it printed when it started.">
    <TextForm
      label="Control token"
      submit="Open the console"
      required
      onSubmit={async (token) => {
        await signIn(token.trim());
        connect();
        reportChange();
      }}
    />
  </Screen>
);

/** The page: navigation, clock and the current screen. */
export function Shell(): JSX.Element {
  const route = useRoute();
  const current = screens.find(([name]) => name === route.screen);
  const [, title = 'Unknown page', render = UnknownScreen] = current ?? [];
  useEffect(() => {
    document.title = `${title} · Corridor mock`;
    // On a narrow screen the navigation scrolls. `scrollIntoView` would also move the start of the Tab key.
    const link = document.querySelector<HTMLElement>('.nav-link[aria-current]');
    const list = link?.parentElement;
    if (link && list) list.scrollTo(link.offsetLeft - list.clientWidth / 2, link.offsetTop - list.clientHeight / 2);
  }, [current]);
  const main = useRef<HTMLElement>(null);
  const shown = useStore(notice);
  const isLost = useStore(connection) === 'lost';
  const { error } = useControl('organizations');
  const isSignedOut = error instanceof ControlCallError && error.status === 401;
  const upstream = useUpstream();
  const shownIn = (list: readonly Page[]): readonly Page[] =>
    upstream === undefined ? list : list.filter(([name]) => ofUpstream.includes(name));
  useKeys({ '?': () => (location.hash = linkTo('help')) });
  const Current = isSignedOut ? SignInScreen : render;
  return (
    <div class="shell">
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <TopBar />
      <nav class="nav" aria-label="Screens">
        <a class="brand" href={linkTo('requests')}>
          <span class="brand-mark">
            <Icon name="play" />
          </span>
          {upstream === undefined ? 'Corridor mock' : new URL(upstream.url).host}
        </a>
        {groups.map(([group, list]) => (
          <>
            <div class="nav-group" aria-hidden="true">
              {shownIn(list).length > 0 && group}
            </div>
            {shownIn(list).map((screen) => (
              <a
                key={screen}
                class="nav-link"
                href={linkTo(screen[0])}
                aria-current={screen === current ? 'page' : undefined}
              >
                <Icon name={screen[0]} />
                {screen[1]}
              </a>
            ))}
          </>
        ))}
      </nav>
      <main class={`main ${isLost ? 'stale' : ''}`} ref={main} id="main" tabIndex={-1}>
        {isLost && !isSignedOut && (
          <p class="banner outage" role="alert" style={toneStyle('bad')}>
            The server does not respond. This page shows what it read last.
          </p>
        )}
        <Current />
      </main>
      <div class="notice" role="status">
        {shown && (
          <p class="banner" style={toneStyle(shown.kind === 'success' ? 'good' : 'bad')}>
            {shown.message}
          </p>
        )}
      </div>
    </div>
  );
}
