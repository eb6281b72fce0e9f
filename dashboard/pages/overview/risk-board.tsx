import type { Completeness, RiskLevel } from '../../api/operations.ts';
import type { WatchedCompany } from '../../state/model.ts';
import { useTexts } from '../../texts/texts.ts';
import { Age } from '../../ui/age.tsx';
import { RiskBadge, toneOf } from '../../ui/badge.tsx';

/** A field of the board: companies of one level and completeness. */
export interface Cell {
  readonly level: RiskLevel;
  readonly completeness: Completeness;
}

const LEVELS = ['HIGH', 'MEDIUM', 'LOW'] as const;
const COMPLETENESS = ['COMPLETE', 'PARTIAL', 'INSUFFICIENT'] as const;

export const isIn = ({ verdict }: WatchedCompany, { level, completeness }: Cell): boolean =>
  verdict?.riskLevel === level && verdict.completeness === completeness;

interface Props {
  readonly companies: ReadonlyMap<string, WatchedCompany>;
  readonly selected: Cell | null;
  readonly onSelect: (cell: Cell | null) => void;
}

/** Counts of companies by risk level and completeness. A count selects its companies. */
export function RiskBoard({ companies, selected, onSelect }: Props) {
  const texts = useTexts();
  const all = [...companies.values()];
  const oldest = all
    .flatMap(({ verdict }) => verdict?.generatedAt ?? [])
    .sort()
    .at(0);
  return (
    <section className="panel" aria-labelledby="board-title">
      <header>
        <h2 id="board-title">{texts('board.title')}</h2>
        <p className="quiet small">{texts('board.hint')}</p>
        <p className="quiet small">
          {texts('board.oldest')} {oldest === undefined ? '–' : <Age at={oldest} />}
        </p>
      </header>
      <div className="body">
        <table className="board">
          <thead>
            <tr>
              <th scope="col">
                <span className="hidden">{texts('board.level')}</span>
              </th>
              {COMPLETENESS.map((one) => (
                <th key={one} scope="col" title={texts(`completeness.meaning.${one}`)}>
                  {texts(`completeness.${one}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {LEVELS.map((level) => (
              <tr key={level}>
                <th scope="row">
                  <RiskBadge level={level} />
                </th>
                {COMPLETENESS.map((completeness) => {
                  const cell = { level, completeness };
                  const count = all.filter((company) => isIn(company, cell)).length;
                  const isSelected = selected?.level === level && selected.completeness === completeness;
                  const label = texts('board.filter', {
                    level: texts(`risk.${level}`),
                    completeness: texts(`completeness.${completeness}`),
                    n: count,
                  });
                  return (
                    <td key={completeness}>
                      <button
                        type="button"
                        className={`${toneOf(level)}${count === 0 ? ' zero' : ''}`}
                        aria-pressed={isSelected}
                        aria-label={label}
                        onClick={() => onSelect(isSelected ? null : cell)}
                      >
                        {count}
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
