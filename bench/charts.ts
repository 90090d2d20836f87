/** One bar of a chart. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The label at its end. */
  readonly text: string;
  readonly isProduct: boolean;
}

const [width, labelWidth, barHeight, gap, top] = [720, 220, 22, 8, 40];

/** Horizontal bars as SVG with a ground of its own, so that it is readable on pages of either theme. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const room = width - labelWidth - 110;
  const height = top + bars.length * (barHeight + gap) + 8;
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
  <style>.ground { fill: #ffffff } text { fill: #24292f } @media (prefers-color-scheme: dark) { .ground { fill: #161b22 } text { fill: #d0d7de } }</style>
  <rect class="ground" width="100%" height="100%" rx="6"/>
  <text x="12" y="24" font-weight="600">${escaped(title)}</text>
${rows.join('\n')}
</svg>
`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
