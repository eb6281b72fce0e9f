import { type TextKey, useTexts } from '../texts/texts.ts';

const PARTIES = ['person', 'partner', 'company', 'lists', 'verdict'] as const;
type Party = (typeof PARTIES)[number];

/** A drawing for one width of the window: its size, the places of the boxes, and the lines between them, in units of the drawing. */
interface Layout {
  readonly name: 'wide' | 'narrow';
  readonly width: number;
  readonly height: number;
  readonly boxWidth: number;
  readonly places: Readonly<Record<Party, readonly [x: number, y: number]>>;
  /** Owners to the company, and lists to an owner. */
  readonly lines: readonly string[];
  /** The way of the change: the lists to the company, and the company to its verdict. */
  readonly way: readonly string[];
}

/** The CSS shows one of them. The texts of the narrow one are 12 pixels high on the narrowest phone. */
const LAYOUTS: readonly Layout[] = [
  {
    name: 'wide',
    width: 600,
    height: 184,
    boxWidth: 184,
    places: { person: [8, 8], partner: [208, 8], company: [108, 112], lists: [408, 8], verdict: [408, 112] },
    lines: ['M100 64 L184 112', 'M300 64 L216 112', 'M408 36 L392 36'],
    way: ['M420 64 L292 126', 'M292 146 L408 146'],
  },
  {
    name: 'narrow',
    width: 320,
    height: 272,
    boxWidth: 152,
    places: { person: [2, 2], partner: [166, 2], company: [84, 98], lists: [2, 198], verdict: [166, 198] },
    lines: ['M78 58 L144 98', 'M242 58 L176 98'],
    way: ['M78 198 L130 154', 'M190 154 L242 198'],
  },
];

const BOX_HEIGHT = 56;
/** The pill of a change, which covers the lower edge of its box. */
const PILL = { width: 128, height: 20, below: 46 };

/** The boxes that a change marks, with the text of each mark. */
const MARKS: readonly { readonly party: Party; readonly text: TextKey }[] = [
  { party: 'lists', text: 'landing.change.entry' },
  { party: 'verdict', text: 'landing.change.verdict' },
];

/**
 * Draws what the service answers: a company, its owners, the lists that are compared with them, and the verdict. A change arrives once: a
 * new entry of a list, then the new level. Where a person wants less motion, its end is shown at once.
 */
export function GraphDrawing() {
  const texts = useTexts();
  return (
    <div className="landing-drawing">
      {LAYOUTS.map((layout) => (
        <Drawing key={layout.name} layout={layout} />
      ))}
      <p className="quiet">{texts('landing.change')}</p>
    </div>
  );
}

function Drawing({ layout: { name, width, height, boxWidth, places, lines, way } }: { readonly layout: Layout }) {
  const texts = useTexts();
  return (
    <svg className={`landing-graph ${name}`} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={texts('landing.drawing')}>
      {lines.map((path) => (
        <path key={path} d={path} />
      ))}
      {way.map((path, at) => (
        <path key={path} d={path} pathLength="1" className={`way step-${at + 1}`} />
      ))}
      {PARTIES.map((party) => {
        const [x, y] = places[party];
        return (
          <g key={party} className={party}>
            <rect x={x} y={y} width={boxWidth} height={BOX_HEIGHT} rx="8" />
            <text x={x + boxWidth / 2} y={y + 22}>
              {texts(`landing.drawing.${party}`)}
            </text>
            <text x={x + boxWidth / 2} y={y + 39} className="quiet">
              {texts(`landing.drawing.${party}.text`)}
            </text>
          </g>
        );
      })}
      {MARKS.map(({ party, text }) => {
        const [x, y] = places[party];
        return (
          <g key={party} className={`mark of-${party}`}>
            <rect x={x + (boxWidth - PILL.width) / 2} y={y + PILL.below} width={PILL.width} height={PILL.height} rx={PILL.height / 2} />
            <text x={x + boxWidth / 2} y={y + PILL.below + 14}>
              {texts(text)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
