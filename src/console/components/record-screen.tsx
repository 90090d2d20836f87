import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useNewestRecords, useRecord } from '../control/use-control.js';
import { navigate, useRoute } from '../router.js';
import { Input } from './controls.js';
import { Empty, Panel, Pending } from './layout.js';
import { RecordCount } from './record-count.js';
import { VirtualList, type Column } from './virtual-list.js';

interface RecordScreenProps<T> {
  readonly title: string;
  /** The kind of the records in control calls, and the name of the screen in URLs. */
  readonly kind: string;
  readonly noun: readonly [one: string, many: string];
  readonly columns: readonly Column[];
  readonly cells: (record: T) => readonly ComponentChildren[];
  /** The text that the filter searches. */
  readonly searchText: (record: T) => string;
  readonly actions?: ComponentChildren;
  readonly renderDetails: (record: T) => {
    readonly title: ComponentChildren;
    readonly actions?: ComponentChildren;
    readonly body: ComponentChildren;
  };
}

/** The records of one kind, newest first, with the details of the selected one. */
export function RecordScreen<T extends { readonly id: string }>(props: RecordScreenProps<T>): JSX.Element {
  const { title, kind, noun, columns, cells, searchText, actions, renderDetails } = props;
  const records = useNewestRecords<T>(kind);
  const { data, error } = records;
  const { id } = useRoute();
  const { data: selected } = useRecord<T>(kind, id);
  const details = selected === undefined || selected === null ? undefined : renderDetails(selected);
  const [text, setText] = useState('');
  const rows = useMemo(() => {
    const searched = text.toLowerCase();
    return (data ?? []).filter((record) => searchText(record).toLowerCase().includes(searched));
  }, [data, text]);
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>{title}</h1>
        {data !== undefined && <RecordCount records={records} noun={noun} />}
        <div class="actions">{actions}</div>
      </div>
      <div class="toolbar" role="search">
        <div class="grow">
          <Input
            label={`Filter ${noun[1]}`}
            hideLabel
            placeholder={`Filter ${noun[1]}`}
            value={text}
            onInput={setText}
          />
        </div>
      </div>
      <div class={`split ${id === undefined || data === undefined ? '' : 'open'}`}>
        {data === undefined ? (
          <Pending error={error} />
        ) : rows.length === 0 ? (
          <div class="section">
            <Empty>
              {data.length === 0
                ? `No ${noun[1]} yet. Populate the platform under State, or add records.`
                : 'No record matches the filter.'}
            </Empty>
          </div>
        ) : (
          <VirtualList
            label={title}
            columns={columns}
            rows={rows}
            keyOf={(record) => record.id}
            cells={cells}
            isSelected={(record) => record.id === id}
          />
        )}
        {details !== undefined && (
          <Panel key={id} title={details.title} actions={details.actions} onClose={() => navigate(kind)}>
            {details.body}
          </Panel>
        )}
        {data !== undefined && selected === null && (
          <Panel title={id} onClose={() => navigate(kind)}>
            <Empty>This record does not exist in this organization.</Empty>
          </Panel>
        )}
      </div>
    </div>
  );
}
