import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toneStyle } from '../components/badge.js';
import { Button } from '../components/controls.js';
import { connect, connection } from '../control/connection.js';
import { useStore } from '../control/store.js';

/** Says that the server does not respond, and when the page tries again. */
export function Outage(): JSX.Element | null {
  const { state, retryAt } = useStore(connection);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [state]);
  if (state !== 'lost') return null;
  return (
    <div class="banner actions outage" style={toneStyle('bad')}>
      <span role="alert">The server does not respond. This page shows what it read last.</span>
      <span>Next attempt in {Math.max(0, Math.ceil((retryAt - now) / 1000))} s</span>
      <Button onClick={connect}>Try now</Button>
    </div>
  );
}
