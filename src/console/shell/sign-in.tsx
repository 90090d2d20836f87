import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Form, Input } from '../components/controls.js';
import { ControlCallError, signIn } from '../control/call.js';
import { connect, reportChange } from '../control/connection.js';
import { useControl } from '../control/use-control.js';

/** Asks for the control token if the server requires it; otherwise shows the screen. */
export function SignIn({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const { error } = useControl('organizations', [], 'platform');
  const [token, setToken] = useState('');
  if (!(error instanceof ControlCallError) || error.status !== 401) return <>{children}</>;
  const submit = async (): Promise<string | undefined> => {
    try {
      await signIn(token.trim());
      connect();
      reportChange();
      return undefined;
    } catch (failure) {
      return (failure as Error).message;
    }
  };
  return (
    <div class="screen">
      <Form kind="section section-body column sign-in" onSubmit={submit}>
        <h1>Control token</h1>
        <p class="muted">This server requires its control token, which it printed when it started.</p>
        <Input label="Control token" value={token} onInput={setToken} required />
        <Button kind="primary" type="submit">
          Open the console
        </Button>
      </Form>
    </div>
  );
}
