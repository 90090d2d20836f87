import type { JSX } from 'preact';
import type { OrganizationSummary } from '../../mock/control/calls.js';
import { useEffect } from 'preact/hooks';
import { Badge, toneStyle } from '../components/badge.js';
import { Select } from '../components/controls.js';
import { connection } from '../control/connection.js';
import { notify } from '../control/notices.js';
import { useStore } from '../control/store.js';
import { useControl, useUpstream } from '../control/use-control.js';
import { formatTime } from '../format/text.js';
import { linkTo, selectOrganization, useRoute } from '../control/router.js';
import { useClock } from '../control/use-clock.js';

/** The selected organization, the mock's clock and the state of the connection. */
export function TopBar(): JSX.Element {
  const { data: organizations = [] } = useControl<readonly OrganizationSummary[]>('organizations');
  const { organization, screen } = useRoute();
  const all = screen === 'requests' && organizations.length > 1 ? [['', 'All organizations'] as const] : [];
  const selected = organization ?? all[0]?.[0] ?? organizations[0]?.id ?? '';
  useEffect(() => {
    // Another page or a test may have removed the selected one; a list that is out of date may not have it yet.
    if (organization === undefined || organizations.length === 0) return;
    if (organizations.some(({ id }) => id === organization)) return;
    notify('failure', `The server has no organization ${organization}. This is the first one.`);
    selectOrganization(undefined);
  }, [organizations]);
  const isUnique = (name: string): boolean => organizations.filter((each) => each.name === name).length === 1;
  const textOf = (name: string, id: string): string => (isUnique(name) ? name : `${name} (${id})`);
  const { now, running, moved } = useClock();
  const state = useStore(connection);
  const isMock = useUpstream() === undefined;
  const [date = '', time = ''] = now === undefined ? [] : formatTime(now).split(' ');
  return (
    <header class="topbar">
      <Select
        label="Organization"
        value={selected}
        options={[...all, ...organizations.map(({ id, name }) => [id, textOf(name, id)] as const)]}
        onChange={(id) => selectOrganization(id === '' ? undefined : id)}
      />
      {isMock && (
        <a class="clock-chip mono" href={linkTo('clock')} title="The time of the mock's clock, in UTC">
          <span class="visually-hidden">Clock of the mock: </span>
          {!running && <Badge tone="warn">frozen</Badge>} {moved !== undefined && <Badge tone="warn">{moved}</Badge>}{' '}
          <span class="date">{date}</span> {time}
        </a>
      )}
      <span class="live" role="status">
        <span class="dot" style={toneStyle(state === 'live' ? 'good' : 'bad')} aria-hidden="true" />
        <span>{{ live: 'Live', connecting: 'Connecting', lost: 'No connection' }[state]}</span>
      </span>
    </header>
  );
}
