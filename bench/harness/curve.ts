/** A chart of lines over two logarithmic axes. */
export interface Curve {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Points with positive coordinates, by increasing x. */
  readonly lines: readonly { readonly name: string; readonly points: readonly Point[] }[];
}

export type Point = readonly [x: number, y: number];

const [WIDTH, HEIGHT] = [720, 400];
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 190, 40, 48];
/** Colours that are legible on light and on dark pages. */
const COLOURS = ['#0969da', '#bf5b00', '#6f42c1', '#2f8132', '#8b6f00'];

/**
 * Draws a chart as SVG. The name of each line is at its end; grid lines are powers of ten. @throws RangeError for a chart without points
 */
export function drawCurve({ title, xLabel, yLabel, lines }: Curve): string {
  const points = lines.flatMap((line) => line.points);
  const x = logScale(
    points.map(([at]) => at),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = logScale(
    points.map(([, at]) => at),
    HEIGHT - BOTTOM,
    TOP,
  );
  const xs = [...new Set(points.map(([at]) => at))];
  const labels = spread(
    lines.map(({ points: all }) => y.at(all.at(-1)?.[1] ?? 1)),
    16,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escaped(title)}</title>`,
    '<g fill="#808080" stroke="none">',
    text(LEFT, 20, title, 'font-size="14"'),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, xLabel, 'text-anchor="middle"'),
    text(LEFT, TOP - 6, yLabel),
    ...xs.map((at) => text(x.at(at), HEIGHT - BOTTOM + 16, String(at), 'text-anchor="middle"')),
    ...y.ticks.map((at) => text(LEFT - 6, y.at(at) + 4, String(at), 'text-anchor="end"')),
    '</g>',
    ...y.ticks.map((at) => `<path d="M${LEFT} ${round(y.at(at))}H${WIDTH - RIGHT}" stroke="#808080" stroke-opacity=".3"/>`),
    ...lines.flatMap(({ name, points: all }, i) => {
      const colour = COLOURS[i % COLOURS.length] ?? '';
      const places = all.map(([px, py]) => `${round(x.at(px))} ${round(y.at(py))}`);
      return [
        `<path d="M${places.join('L')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        text(WIDTH - RIGHT + 8, (labels[i] ?? 0) + 4, name, `fill="${colour}"`),
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

interface Scale {
  /** Returns the position of a value, in pixels. */
  readonly at: (value: number) => number;
  /** Powers of ten within the scale. */
  readonly ticks: readonly number[];
}

function logScale(values: readonly number[], from: number, to: number): Scale {
  if (values.length === 0) throw new RangeError('no points to draw');
  const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  const ticks: number[] = [];
  for (let power = Math.ceil(low - 1e-9); power <= high + 1e-9; power += 1) ticks.push(10 ** power);
  return { at: (value) => from + ((Math.log10(value) - low) / (high - low || 1)) * (to - from), ticks };
}

/** Moves labels down until each has this distance to the one above it. */
function spread(places: readonly number[], distance: number): readonly number[] {
  const moved = [...places];
  let last = Number.NEGATIVE_INFINITY;
  for (const [place, i] of places.map((place, i) => [place, i] as const).toSorted(([a], [b]) => a - b)) {
    last = Math.max(place, last + distance);
    moved[i] = last;
  }
  return moved;
}

const round = (place: number): number => Math.round(place * 10) / 10;

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escaped(content)}</text>`;

const escaped = (content: string): string => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
