import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Input } from '../components/controls.js';
import { callControl, ControlCallError } from '../control/call.js';
import { connectEvents, reportChange } from '../control/event-stream.js';
import { notify } from '../control/notices.js';
import { useControl } from '../control/use-control.js';

/** Asks for the control token if the server requires it; otherwise shows the screen. */
export function SignIn({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const { error } = useControl('clock.now', [], 'platform');
  const [token, setToken] = useState('');
  if (!(error instanceof ControlCallError) || error.status !== 401) return <>{children}</>;
  const signIn = async (): Promise<void> => {
    try {
      await callControl('session', { token: token.trim() });
      connectEvents();
      reportChange();
    } catch (failure) {
      notify('failure', (failure as Error).message);
    }
  };
  return (
    <div class="screen">
      <form
        class="section section-body column sign-in"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <h1>Control token</h1>
        <p class="muted">This server requires its control token, which it printed when it started.</p>
        <Input label="Control token" value={token} onInput={setToken} required />
        <Button kind="primary" type="submit">
          Open the console
        </Button>
      </form>
    </div>
  );
}
