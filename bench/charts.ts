/** One bar of a chart. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** What stands at its end. */
  readonly text: string;
  readonly isProduct: boolean;
}

const [width, labelWidth, barHeight, gap, top] = [720, 210, 22, 8, 34];

/** Horizontal bars as SVG, readable on light and on dark ground. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const room = width - labelWidth - 110;
  const height = top + bars.length * (barHeight + gap) + 6;
  const rows = bars.map(({ label, value, text, isProduct }, index) => {
    const y = top + index * (barHeight + gap);
    const length = Math.max(2, Math.round((value / most) * room));
    return [
      `  <text x="${labelWidth - 10}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>`,
      `  <rect x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="3" fill="${isProduct ? '#2f6fde' : '#9aa4b2'}"/>`,
      `  <text x="${labelWidth + length + 8}" y="${y + 15}">${escaped(text)}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="13">
  <style>text { fill: #24292f } @media (prefers-color-scheme: dark) { text { fill: #d0d7de } }</style>
  <text x="0" y="16" font-weight="600">${escaped(title)}</text>
${rows.join('\n')}
</svg>
`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
