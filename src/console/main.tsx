import { render } from 'preact';
import { startSession } from './control/call.js';
import { connect, pollChanges } from './control/connection.js';
import { followChanges } from './control/use-control.js';
import { attempt } from './control/notices.js';
import { startRouter } from './control/router.js';
import { Shell } from './shell/shell.js';

async function start(): Promise<void> {
  await attempt(startSession);
  startRouter();
  followChanges();
  connect();
  pollChanges();
  const app = document.querySelector('#app');
  if (app !== null) render(<Shell />, app);
}

void start();
