import type { JSX } from 'preact';
import type { NewestRecords } from '../control/use-control.js';
import { pluralize } from '../format/text.js';
import { Button } from './controls.js';

interface RecordCountProps {
  readonly records: NewestRecords<unknown>;
  readonly noun: readonly [one: string, many: string];
}

/** The number of loaded records, `3 payments`, with a button that loads older ones if there are any. */
export function RecordCount({ records: { data, loadOlder }, noun }: RecordCountProps): JSX.Element {
  const count = pluralize(data?.length ?? 0, ...noun);
  if (loadOlder === undefined) return <span class="muted">{count}</span>;
  return (
    <>
      <span class="muted">the newest {count}</span>
      <Button onClick={loadOlder}>Load older</Button>
    </>
  );
}
