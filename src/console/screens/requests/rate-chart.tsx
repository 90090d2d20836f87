import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { BarChart, type Bar } from '../../components/bar-chart.js';
import { toneOfHttp, type Tone } from '../../components/badge.js';
import type { RequestSummary } from '../../control/records.js';

const seconds = 90;
const order: readonly Tone[] = ['good', 'info', 'warn', 'bad', 'fault'];

/** Returns one bar for each of the last seconds. */
function barsOf(requests: readonly RequestSummary[], now: number): Bar[] {
  const last = Math.floor(now / 1000);
  const counts = Array.from({ length: seconds }, () => new Map<Tone, number>());
  for (let index = requests.length - 1; index >= 0; index -= 1) {
    const request = requests[index];
    if (request === undefined) break;
    const age = last - Math.floor(request.completedAt / 1000);
    if (age >= seconds) break;
    const bar = counts[seconds - 1 - Math.max(0, age)];
    const tone = request.delivery === 'reset' || request.delivery === 'hang' ? 'fault' : toneOfHttp(request.status);
    bar?.set(tone, (bar.get(tone) ?? 0) + 1);
  }
  return counts.map((bar, index) => ({
    label: `${seconds - 1 - index} s ago`,
    parts: order.map((tone) => ({ tone, count: bar.get(tone) ?? 0 })),
  }));
}

/** The requests of the last seconds by status, in real time. */
export function RateChart({ requests }: { readonly requests: readonly RequestSummary[] }): JSX.Element {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const bars = barsOf(requests, now);
  const count = bars.reduce((sum, { parts }) => sum + parts.reduce((inner, part) => inner + part.count, 0), 0);
  return (
    <BarChart
      title="Requests per second"
      bars={bars}
      legend={[
        ['good', '2xx'],
        ['warn', '4xx'],
        ['bad', '5xx'],
        ['fault', 'lost'],
      ]}
      ends={[`${seconds} s ago`, 'now']}
      summary={`${count} requests in the last ${seconds} seconds`}
    />
  );
}
