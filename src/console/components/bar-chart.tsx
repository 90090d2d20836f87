import type { JSX } from 'preact';
import type { Tone } from './badge.js';

/** A bar of a chart, with the parts that are stacked in it. */
export interface Bar {
  readonly label: string;
  readonly parts: readonly { readonly tone: Tone; readonly count: number }[];
}

interface BarChartProps {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly legend: readonly (readonly [tone: Tone, text: string])[];
  /** The labels below the first and the last bar. */
  readonly ends: readonly [string, string];
  /** The chart in words. */
  readonly summary: string;
}

const height = 56;
const barWidth = 10;

/** A chart of stacked bars. */
export function BarChart({ title, bars, legend, ends, summary }: BarChartProps): JSX.Element {
  const total = (bar: Bar): number => bar.parts.reduce((sum, { count }) => sum + count, 0);
  const max = Math.max(1, ...bars.map(total));
  return (
    <figure class="chart-section">
      <figcaption>
        {title}
        <span class="legend">
          {legend.map(([tone, text]) => (
            <span key={text}>
              <i class={`dot fill-${tone}`} />
              {text}
            </span>
          ))}
        </span>
      </figcaption>
      <svg
        class="chart"
        viewBox={`0 0 ${Math.max(1, bars.length) * barWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {bars.map((bar, index) => {
          let bottom = height;
          return bar.parts.map(({ tone, count }) => {
            const size = (count / max) * (height - 2);
            bottom -= size;
            return count === 0 ? null : (
              <rect
                key={tone}
                class={`fill-${tone}`}
                x={index * barWidth + 1}
                y={bottom}
                width={barWidth - 2}
                height={size}
              >
                <title>{`${bar.label}: ${total(bar)}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <div class="axis" aria-hidden="true">
        <span>{ends[0]}</span>
        <span>max {max}</span>
        <span>{ends[1]}</span>
      </div>
    </figure>
  );
}
