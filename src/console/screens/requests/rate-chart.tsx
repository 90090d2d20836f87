import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toneOfHttp, type Tone } from '../../components/badge.js';
import type { RequestSummary } from '../../control/records.js';

const seconds = 90;
const height = 56;
const barWidth = 10;
const legend: readonly (readonly [tone: Tone, text: string])[] = [
  ['good', '2xx'],
  ['info', '3xx'],
  ['warn', '4xx'],
  ['bad', '5xx'],
  ['fault', 'lost'],
];

type Bar = ReadonlyMap<Tone, number>;

/** Returns one bar for each of the last seconds, with the number of requests of each color. */
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
  return counts;
}

const totalOf = (bar: Bar): number => [...bar.values()].reduce((sum, count) => sum + count, 0);

/** The requests of the last seconds by status, in real time. */
export function RateChart({ requests }: { readonly requests: readonly RequestSummary[] }): JSX.Element {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const bars = barsOf(requests, now);
  const totals = bars.map(totalOf);
  const max = Math.max(1, ...totals);
  const count = totals.reduce((sum, total) => sum + total, 0);
  return (
    <figure class="section chart">
      <figcaption>
        Requests per second
        <span class="legend">
          {legend.map(([tone, text]) => (
            <span key={text}>
              <i class={`dot tone-${tone}`} />
              {text}
            </span>
          ))}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${seconds * barWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${count} requests in the last ${seconds} seconds`}
      >
        {bars.map((bar, index) => {
          let bottom = height;
          return legend.map(([tone]) => {
            const size = ((bar.get(tone) ?? 0) / max) * (height - 2);
            bottom -= size;
            return size === 0 ? null : (
              <rect class={`tone-${tone}`} x={index * barWidth + 1} y={bottom} width={barWidth - 2} height={size} />
            );
          });
        })}
      </svg>
      <div class="axis" aria-hidden="true">
        <span>{seconds} s ago</span>
        <span>max {max}</span>
        <span>now</span>
      </div>
    </figure>
  );
}
