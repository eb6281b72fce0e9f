import { useId } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { axisOf, labelled, stackOf, sumOf } from './scale.ts';
import './plot.css';

/** A colour and a pattern of the bars; the classes of `plot.css`. */
export type Look = 'high' | 'medium' | 'low' | 'open' | 'empty' | 'first' | 'second' | 'third' | 'fourth';

export interface Series {
  readonly label: string;
  readonly look: Look;
}

/** A bar with a value of each series. Its values are null if they are not known, which is not the same as 0. */
export interface Bar {
  readonly label: string;
  readonly values: readonly number[] | null;
  /** The numbers that are written, if they are not the heights of the parts. */
  readonly written?: readonly number[];
  /** A shorter label for the axis. */
  readonly short?: string;
  /** A sentence that is shown beside the values. */
  readonly note?: string;
}

interface Props {
  /** A sentence with the last values, for people who do not see the drawing. */
  readonly label: string;
  /** Heading of the first column of the table. */
  readonly barsLabel: string;
  readonly series: readonly Series[];
  readonly bars: readonly Bar[];
  /** Unit of the axis, such as `ms`; absent for numbers. */
  readonly unit?: string;
}

/** Height of the drawing in pixels. */
const HEIGHT = 160;
/** Maximum number of labels below the bars, which fit on a phone. */
const LABELS = 3;
/** Share of a bar's place that stays free. */
const GAP = 0.2;

/** A plot of stacked bars, with a legend, and a table of the same numbers. The drawing is as wide as its place. */
export function BarPlot({ label, barsLabel, series, bars, unit }: Props) {
  const texts = useTexts();
  const id = useId().replaceAll(':', '');
  const axis = axisOf(Math.max(0, ...bars.map(({ values }) => sumOf(values ?? []))));
  const place = 100 / Math.max(1, bars.length);
  const numberText = (n: number): string => `${n.toLocaleString(texts.language)}${unit ? ` ${unit}` : ''}`;
  return (
    <div className="plot">
      <div className="plot-frame">
        <div className="plot-axis" aria-hidden="true">
          {axis.ticks.toReversed().map((tick) => (
            <span key={tick}>{numberText(tick)}</span>
          ))}
        </div>
        <svg role="img" aria-label={label} width="100%" height={HEIGHT}>
          <defs>
            <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="6" height="6" className="hatch-ground" />
              <rect width="3" height="6" className="hatch-line" />
            </pattern>
          </defs>
          {axis.ticks.map((tick) => (
            <line key={tick} className="grid" x1="0" x2="100%" y1={yOf(tick / axis.top)} y2={yOf(tick / axis.top)} />
          ))}
          {bars.map((bar, i) => (
            <g key={bar.label}>
              <title>{barText(bar, series, numberText, texts('plot.unknown'))}</title>
              <rect className="hit" x={`${i * place}%`} width={`${place}%`} y="0" height={HEIGHT} />
              {stackOf(bar.values ?? [], axis).map((part) => (
                <rect
                  key={part.series}
                  className={series[part.series]?.look}
                  fill={series[part.series]?.look === 'open' ? `url(#${id})` : undefined}
                  x={`${(i + GAP / 2) * place}%`}
                  width={`${(1 - GAP) * place}%`}
                  y={yOf(part.to)}
                  height={Math.max(1, yOf(part.from) - yOf(part.to))}
                />
              ))}
            </g>
          ))}
        </svg>
        <div className="plot-labels" aria-hidden="true">
          {labelled(bars.length, LABELS).map((i) => (
            <span key={bars[i]?.label}>{bars[i]?.short ?? bars[i]?.label}</span>
          ))}
        </div>
      </div>
      <ul className="plot-legend small">
        {series.map(({ label, look }) => (
          <li key={label}>
            <svg width="12" height="12" aria-hidden="true">
              <rect className={look} fill={look === 'open' ? `url(#${id})` : undefined} x="0.5" y="0.5" width="11" height="11" />
            </svg>
            {label}
          </li>
        ))}
      </ul>
      <PlotTable barsLabel={barsLabel} series={series} bars={bars} numberText={numberText} />
    </div>
  );
}

/** Returns the distance from the top in pixels. One pixel above and below is free for the lines. */
const yOf = (share: number): number => 1 + (1 - share) * (HEIGHT - 2);

function barText(bar: Bar, series: readonly Series[], numberText: (n: number) => string, unknown: string): string {
  const { label, values, note } = bar;
  const written = bar.written ?? values;
  const parts = written ? series.flatMap((one, i) => (written[i] ? [`${one.label} ${numberText(written[i])}`] : [])) : [unknown];
  return [`${label}: ${values && parts.length === 0 ? numberText(0) : parts.join(', ')}`, ...(note ? [note] : [])].join('. ');
}

type TableProps = Pick<Props, 'barsLabel' | 'series' | 'bars'> & { readonly numberText: (n: number) => string };

/** The numbers of a plot, the newest first. */
function PlotTable({ barsLabel, series, bars, numberText }: TableProps) {
  const texts = useTexts();
  const hasNotes = bars.some(({ note }) => note);
  return (
    <details>
      <summary>{texts('plot.table')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard */}
      <section className="plot-table" tabIndex={0} aria-label={texts('plot.table')}>
        <table className="list as-cards">
          <thead>
            <tr>
              <th scope="col">{barsLabel}</th>
              {series.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
              {hasNotes && <th scope="col">{texts('plot.note')}</th>}
            </tr>
          </thead>
          <tbody>
            {bars.toReversed().map(({ label, values, written = values, note }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {written ? (
                  series.map((one, i) => (
                    <td key={one.label} className="number" data-label={one.label}>
                      {numberText(written[i] ?? 0)}
                    </td>
                  ))
                ) : (
                  <td className="quiet" colSpan={series.length}>
                    {texts('plot.unknown')}
                  </td>
                )}
                {hasNotes && (
                  <td className="small" data-label={texts('plot.note')}>
                    {note}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
