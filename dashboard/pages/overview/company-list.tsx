import { memo, useMemo, useRef, useState } from 'react';
import type { Dashboard } from '../../state/dashboard.ts';
import { companyId, type WatchedCompany } from '../../state/model.ts';
import { READ_AT_ONCE, unread } from '../../state/portfolio.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';
import { Age } from '../../ui/age.tsx';
import { Badge, RiskBadge, toneOf } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { nameText } from '../../ui/name.ts';
import { hasOwnersToReview, OwnersToReview } from '../../ui/owners-to-review.tsx';
import { companyPath, pathOf } from '../../ui/route.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { NotReadYet } from '../answer-notice.tsx';
import { SaveCsv } from '../delimiter-choice.tsx';
import { portfolioCsv, reasonsOf } from '../portfolio/portfolio-csv.ts';
import { type Cell, isIn } from './risk-board.tsx';

interface Props {
  readonly dashboard: Dashboard;
  readonly companies: ReadonlyMap<string, WatchedCompany>;
  readonly watched: number | null;
  /** Chosen field of the board; null for all companies. */
  readonly cell: Cell | null;
  readonly onClear: () => void;
}

/** Row order: highest risk first, a low level with a missing source before a complete one, then by name. */
const RANK = { high: 0, medium: 1, none: 2, low: 3 } as const;
const rankOf = ({ verdict }: WatchedCompany): number => (verdict ? RANK[toneOf(verdict)] : 4);
const inOrder = (a: WatchedCompany, b: WatchedCompany): number =>
  rankOf(a) - rankOf(b) || (a.name ?? a.identifier).localeCompare(b.name ?? b.identifier);

const matches = ({ name, identifier, formattedIdentifier }: WatchedCompany, text: string): boolean =>
  [name ?? '', identifier, formattedIdentifier].some((one) => one.toLowerCase().includes(text.trim().toLowerCase()));

/**
 * The index of each company in the list, by its id. It does not change with a verdict, because a row that moves away from the pointer
 * cannot be read. It is computed again when a load of further companies has ended, and not for each of its answers, so that rows move
 * once.
 */
function useOrder(all: readonly WatchedCompany[], settled: number): ReadonlyMap<string, number> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: not for each change of a company
  return useMemo(() => new Map(all.toSorted(inOrder).map((company, index) => [companyId(company), index])), [all.length, settled]);
}

/** The watched companies, filtered by the board and by text. */
export function CompanyList({ dashboard, companies, watched, cell, onClear }: Props) {
  const texts = useTexts();
  const [text, setText] = useState('');
  const [onlyHits, setOnlyHits] = useState(false);
  const all = [...companies.values()];
  const order = useOrder(
    all,
    useStore(dashboard.store, (state) => state.settled),
  );
  const indexOf = (company: WatchedCompany): number => order.get(companyId(company)) ?? all.length;
  const hits = all.filter(({ verdict }) => hasOwnersToReview(verdict)).length;
  const isShown = (company: WatchedCompany): boolean =>
    (!cell || isIn(company, cell)) && (!onlyHits || hasOwnersToReview(company.verdict)) && matches(company, text);
  const isFiltered = cell !== null || onlyHits || text.trim() !== '';
  const search = useRef<HTMLInputElement>(null);
  const showAll = (): void => {
    onClear();
    setOnlyHits(false);
    setText('');
    search.current?.focus(); // the button is removed
  };
  const shown = all.filter(isShown).sort((a, b) => indexOf(a) - indexOf(b));
  const isReading = useStore(dashboard.store, (state) => state.isReading);
  const unassessed = useStore(dashboard.store, (state) => unread(state).length);
  return (
    <section className="panel list-of-companies" aria-labelledby="companies-title">
      <header className="row spread">
        <h2 id="companies-title">
          {texts('companies.title')}{' '}
          <span className="quiet small">{watched !== null && texts('companies.count', { shown: shown.length, n: watched })}</span>
        </h2>
        <div className="row">
          {isFiltered && (
            <button type="button" className="plain" onClick={showAll}>
              {texts('companies.clear')}
            </button>
          )}
          {((watched !== null && hits > 0) || onlyHits) && (
            <button type="button" aria-pressed={onlyHits} onClick={() => setOnlyHits(!onlyHits)}>
              {texts('owners.filter', { n: hits })}
            </button>
          )}
          {shown.length > 0 && watched !== null && (
            <SaveCsv
              text={texts('csv.save')}
              name={texts('file.portfolio')}
              isPlain
              csv={(delimiter) => portfolioCsv(shown, texts, delimiter)}
            />
          )}
          <Link href={pathOf(`/portfolio${cell ? `?level=${cell.level}` : ''}`)}>{texts('list.open')}</Link>
          <input
            ref={search}
            type="search"
            aria-label={texts('companies.search')}
            placeholder={texts('companies.search')}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
      </header>
      {watched === null && <NotReadYet dashboard={dashboard} />}
      {watched !== null && shown.length === 0 && <p className="empty">{texts(watched === 0 ? 'companies.none' : 'list.noMatch')}</p>}
      <ul className="companies">
        {shown.map((company) => (
          <CompanyRow key={companyId(company)} company={company} isReading={isReading} />
        ))}
      </ul>
      {unassessed > 0 && watched !== null && (
        <p className="body">
          <button type="button" onClick={() => void dashboard.portfolio.assessMore()}>
            {texts('companies.assess', { n: Math.min(unassessed, READ_AT_ONCE) })}
          </button>
        </p>
      )}
    </section>
  );
}

interface RowProps {
  readonly company: WatchedCompany;
  readonly isReading: boolean;
}

/** A row is rendered again if its company changed, and not for each change of another one. */
const CompanyRow = memo(({ company, isReading }: RowProps) => {
  const texts = useTexts();
  const { verdict } = company;
  return (
    <li>
      <span>
        <Link href={companyPath(company)} className="name">
          {company.readAt === null ? (company.name ?? company.formattedIdentifier) : nameText(company, texts)}
        </Link>
        {company.readAt !== null && <span className="quiet small number">{company.formattedIdentifier}</span>}
      </span>
      <span>
        {company.readAt !== null && <RiskBadge verdict={verdict} />}
        {company.readAt === null && (isReading ? <Skeleton /> : <Badge tone="none">{texts('risk.UNREAD')}</Badge>)}
      </span>
      <span className="small reason">
        {verdict && reasonsOf(verdict, texts).join(' · ')}
        {verdict && hasOwnersToReview(verdict) && <OwnersToReview verdict={verdict} country={company.country} />}
      </span>
      <span className="quiet small age">{verdict && <Age at={verdict.generatedAt} />}</span>
    </li>
  );
});
