import type { JSX } from 'preact';
import { Button } from '../components/controls.js';
import { Icon } from '../components/icons.js';
import { closeNotice, notices } from '../control/notices.js';
import { useStore } from '../control/store.js';

/** The results of the last changes. */
export function Notices(): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {useStore(notices).map(({ id, kind, message }) => (
        <div key={id} class={`notice ${kind}`}>
          <p>{message}</p>
          <Button kind="quiet" label="Close message" onClick={() => closeNotice(id)}>
            <Icon name="close" />
          </Button>
        </div>
      ))}
    </div>
  );
}
