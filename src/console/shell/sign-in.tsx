import type { ComponentChildren, JSX } from 'preact';
import { TextForm } from '../components/controls.js';
import { Screen } from '../components/layout.js';
import { ControlCallError, signIn } from '../control/call.js';
import { connect, reportChange } from '../control/connection.js';
import { useControl } from '../control/use-control.js';

/** Asks for the control token if the server requires it; otherwise shows the screen. */
export function SignIn({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const { error } = useControl('organizations');
  if (!(error instanceof ControlCallError) || error.status !== 401) return <>{children}</>;
  const submit = async (token: string): Promise<void> => {
    await signIn(token.trim());
    connect();
    reportChange();
  };
  return (
    <Screen title="Control token" about="This server requires its control token, which it printed when it started.">
      <TextForm label="Control token" submit="Open the console" required onSubmit={submit} />
    </Screen>
  );
}
