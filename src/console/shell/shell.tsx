import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from '../components/icons.js';
import { isTyping } from '../components/controls.js';
import { connection } from '../control/connection.js';
import { linkTo, useRoute } from '../control/router.js';
import { AssumptionsScreen } from '../screens/platform/assumptions.js';
import { ClockScreen } from '../screens/platform/clock.js';
import { FaultsScreen } from '../screens/platform/faults.js';
import { StateScreen } from '../screens/platform/state.js';
import { BoardScreen } from '../screens/board.js';
import { recordKinds } from '../screens/records/kinds.js';
import { RecordScreen } from '../screens/records/screen.js';
import { RequestsScreen } from '../screens/requests/screen.js';
import { useStore } from '../control/store.js';
import { Notices } from './notices.js';
import { Outage } from './outage.js';
import { SignIn } from './sign-in.js';
import { TopBar } from './top-bar.js';

interface Screen {
  readonly name: IconName & string;
  readonly title: string;
  readonly render: () => JSX.Element;
}

const groups: readonly (readonly [title: string, screens: readonly Screen[]])[] = [
  [
    'Activity',
    [
      { name: 'requests', title: 'Requests', render: RequestsScreen },
      { name: 'board', title: 'Board', render: BoardScreen },
    ],
  ],
  [
    'Records',
    recordKinds.map((kind) => ({ name: kind.name, title: kind.title, render: () => <RecordScreen kind={kind} /> })),
  ],
  [
    'Platform',
    [
      { name: 'clock', title: 'Clock', render: ClockScreen },
      { name: 'faults', title: 'Faults', render: FaultsScreen },
      { name: 'assumptions', title: 'Assumptions', render: AssumptionsScreen },
      { name: 'state', title: 'State', render: StateScreen },
    ],
  ],
];

const screens = groups.flatMap(([, list]) => list);

function UnknownScreen(): JSX.Element {
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>Unknown page</h1>
        <p>
          The console has no page <code>{useRoute().screen}</code>. Select one in the navigation.
        </p>
      </div>
    </div>
  );
}

/** The key / moves to the filters; Escape leaves a field. */
function handleKey(event: KeyboardEvent): void {
  const { key, target } = event;
  if (key === 'Escape' && isTyping(target)) (target as HTMLElement).blur();
  if (key !== '/' || isTyping(target)) return;
  const field = document.querySelector<HTMLElement>('[role=search] input');
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

/** The page: navigation, clock and the current screen. */
export function Shell(): JSX.Element {
  const route = useRoute();
  const current = screens.find(({ name }) => name === route.screen);
  useEffect(() => {
    document.title = `${current?.title ?? 'Unknown page'} · Corridor mock`;
    // On a narrow screen the navigation scrolls.
    document.querySelector('.nav-link[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  const main = useRef<HTMLElement>(null);
  const isLost = useStore(connection).state === 'lost';
  useEffect(() => {
    addEventListener('keydown', handleKey);
    return () => removeEventListener('keydown', handleKey);
  }, []);
  const Current = current?.render ?? UnknownScreen;
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
          Corridor mock
        </a>
        {groups.map(([title, list]) => (
          <>
            <div class="nav-group" aria-hidden="true">
              {title}
            </div>
            {list.map((screen) => (
              <a
                key={screen.name}
                class="nav-link"
                href={linkTo(screen.name)}
                aria-current={screen === current ? 'page' : undefined}
              >
                <Icon name={screen.name} />
                {screen.title}
              </a>
            ))}
          </>
        ))}
      </nav>
      <main class={`main ${isLost ? 'stale' : ''}`} ref={main} id="main" tabIndex={-1}>
        <SignIn>
          <Outage />
          <Current />
        </SignIn>
      </main>
      <Notices />
    </div>
  );
}
