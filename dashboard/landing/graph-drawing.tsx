import { useTexts } from '../texts/texts.ts';

/** Parties of the drawing: the place of each box, and the key of its text. */
const PARTIES = [
  { name: 'person', x: 8, y: 12 },
  { name: 'parent', x: 208, y: 12 },
  { name: 'company', x: 108, y: 112 },
  { name: 'lists', x: 408, y: 12 },
  { name: 'verdict', x: 408, y: 112 },
] as const;

const WIDTH = 184;
const HEIGHT = 56;

/** Lines between the boxes: owners to the company, a list to an owner, the company to its verdict. */
const LINES = ['M100 68 L184 112', 'M300 68 L216 112', 'M408 40 L392 40', 'M292 140 L408 140'];

/** Draws what the service answers: a company, its owners, the lists that are compared with them, and the verdict. */
export function GraphDrawing() {
  const texts = useTexts();
  return (
    <svg className="landing-graph" viewBox="0 0 600 180" role="img" aria-label={texts('landing.drawing')}>
      {LINES.map((path) => (
        <path key={path} d={path} />
      ))}
      {PARTIES.map(({ name, x, y }) => (
        <g key={name} className={name}>
          <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx="8" />
          <text x={x + WIDTH / 2} y={y + 24}>
            {texts(`landing.drawing.${name}`)}
          </text>
          <text x={x + WIDTH / 2} y={y + 43} className="quiet">
            {texts(`landing.drawing.${name}.text`)}
          </text>
        </g>
      ))}
    </svg>
  );
}
