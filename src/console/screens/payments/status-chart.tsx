import type { JSX } from 'preact';
import { BarChart } from '../../components/bar-chart.js';
import { toneOf, type Tone } from '../../components/badge.js';
import type { StatusCounts } from '../../control/records.js';
import { useControl } from '../../control/use-control.js';
import { formatTime } from '../../format/text.js';

const barCount = 60;
const order: readonly Tone[] = ['good', 'info', 'warn', 'neutral', 'bad'];

/** How many payments had each status, over the time of the mock's clock. */
export function StatusChart(): JSX.Element | null {
  const { data } = useControl<StatusCounts>('payments.statusCounts', [barCount]);
  if (data === undefined || Object.keys(data.counts.at(-1) ?? {}).length === 0) return null;
  const { from, to, counts } = data;
  const bars = counts.map((bar, index) => ({
    label: formatTime(from + ((index + 1) / barCount) * (to - from)),
    parts: order.map((tone) => ({
      tone,
      count: Object.entries(bar).reduce((sum, [status, count]) => (toneOf(status) === tone ? sum + count : sum), 0),
    })),
  }));
  return (
    <BarChart
      title="Payments by status over time"
      bars={bars}
      legend={[
        ['good', 'completed'],
        ['info', 'approved, processing'],
        ['warn', 'in review'],
        ['neutral', 'cancelled'],
        ['bad', 'returned, rejected'],
      ]}
      ends={[formatTime(from), formatTime(to)]}
      summary={`The payments by status from ${formatTime(from)} to ${formatTime(to)}`}
    />
  );
}
