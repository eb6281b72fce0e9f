import type { Completeness, RiskLevel } from '../../api/operations.ts';
import { type DashboardState, failureOf, isPortfolioKnown, knownWatched, type WatchedCompany } from '../../state/model.ts';
import { useTexts } from '../../texts/texts.ts';
import { Age } from '../../ui/age.tsx';
import { toneOf } from '../../ui/badge.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** A field of the board: the companies of one level and completeness. */
export interface Cell {
  readonly level: RiskLevel;
  readonly completeness: Completeness;
}

const LEVELS = ['HIGH', 'MEDIUM', 'LOW'] as const;
const COMPLETENESS = ['COMPLETE', 'PARTIAL', 'INSUFFICIENT'] as const;

export const isIn = ({ verdict }: WatchedCompany, { level, completeness }: Cell): boolean =>
  verdict?.riskLevel === level && verdict.completeness === completeness;

interface Props {
  readonly state: DashboardState;
  readonly selected: Cell | null;
  readonly onSelect: (cell: Cell | null) => void;
}

/** Counts of companies by risk level and completeness. A count selects its companies. No count is shown before it is known. */
export function RiskBoard({ state, selected, onSelect }: Props) {
  const texts = useTexts();
  const isKnown = isPortfolioKnown(state);
  const hasFailed = failureOf(state) !== null;
  const all = [...knownWatched(state).values()];
  const oldest = all
    .flatMap(({ verdict }) => verdict?.generatedAt ?? [])
    .sort()
    .at(0);
  return (
    <section className="panel" aria-labelledby="board-title" aria-busy={!isKnown && !hasFailed}>
      <header>
        <h2 id="board-title">{texts('board.title')}</h2>
        <p className="quiet small">{texts('board.hint')}</p>
        <p className="quiet small">
          {texts('board.oldest')} {oldest === undefined ? '–' : <Age at={oldest} />}
        </p>
        <Read companies={all} watched={state.watched} isKnown={isKnown} hasFailed={hasFailed} />
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
                <th scope="row">{texts(`risk.${level}`)}</th>
                {COMPLETENESS.map((completeness) => {
                  const cell = { level, completeness };
                  const isSelected = selected?.level === level && selected.completeness === completeness;
                  return (
                    <td key={completeness}>
                      {isKnown ? (
                        <Count cell={cell} companies={all} isSelected={isSelected} onSelect={() => onSelect(isSelected ? null : cell)} />
                      ) : (
                        <div className="waiting">{hasFailed ? '–' : <Skeleton />}</div>
                      )}
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

interface ReadProps {
  readonly companies: readonly WatchedCompany[];
  readonly watched: number | null;
  readonly isKnown: boolean;
  readonly hasFailed: boolean;
}

/** Shows the number of watched companies that were read, and of those without a verdict. */
function Read({ companies, watched, isKnown, hasFailed }: ReadProps) {
  const texts = useTexts();
  if (watched === null) return <p className="small">{hasFailed ? '–' : <Skeleton />}</p>; // It is as high as the sentence, so that nothing moves.
  const read = companies.filter(({ readAt }) => readAt !== null);
  const unassessed = read.filter(({ verdict }) => !verdict).length;
  return (
    <p className="small" role="status">
      {texts('board.read', { n: read.length, of: watched })}
      {isKnown && unassessed > 0 && ` · ${texts('board.unassessed', { n: unassessed })}`}
    </p>
  );
}

interface CountProps {
  readonly cell: Cell;
  readonly companies: readonly WatchedCompany[];
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

/** The number of companies in a field. An unknown number is not shown as zero while a company was not assessed. */
function Count({ cell, companies, isSelected, onSelect }: CountProps) {
  const texts = useTexts();
  const { level, completeness } = cell;
  const count = companies.filter((company) => isIn(company, cell)).length;
  const isUnknown = count === 0 && companies.some(({ verdict }) => !verdict);
  const named = { level: texts(`risk.${level}`), completeness: texts(`completeness.${completeness}`) };
  return (
    <button
      type="button"
      className={`${toneOf({ riskLevel: level, completeness })}${count === 0 ? ' zero' : ''}`}
      aria-pressed={isSelected}
      aria-label={isUnknown ? texts('board.unknown', named) : texts('board.filter', { ...named, n: count })}
      onClick={onSelect}
    >
      {isUnknown ? '–' : count}
    </button>
  );
}
