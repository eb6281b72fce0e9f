import { useMemo, useState } from 'react';
import type { Dashboard } from '../../state/dashboard.ts';
import { companyId, failureOf, type WatchedCompany } from '../../state/model.ts';
import { READ_AT_ONCE, unread } from '../../state/portfolio.ts';
import { useStore } from '../../state/store.ts';
import { tagsOf } from '../../state/tags.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { replaceParameters, useParameters } from '../../ui/parameters.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { NotReadYet } from '../answer-notice.tsx';
import { WorkButton } from '../work-button.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { ListFilters } from './list-filters.tsx';
import { ListTable } from './list-table.tsx';
import { companyOrder, isFiltered, isInView, readView, unassessedByCountry, type View, viewParameters } from './list-view.ts';
import { Pages, pagesOf } from './pages.tsx';

/** Number of rows of a page. */
const PAGE_ROWS = 50;

/**
 * The companies in the order of the view. A verdict that arrives does not move its row, because a row that moves away from the pointer
 * cannot be read; the order is computed again for another column, when companies are added or removed, and when a load has ended.
 */
function useOrdered(
  companies: ReadonlyMap<string, WatchedCompany>,
  { sort, isDescending }: View,
  settled: number,
): readonly WatchedCompany[] {
  // biome-ignore lint/correctness/useExhaustiveDependencies: not for each change of a company
  const ids = useMemo(
    () => [...companies.values()].sort(companyOrder({ sort, isDescending })).map(companyId),
    [companies.size, sort, isDescending, settled],
  );
  const ordered = ids.flatMap((id) => companies.get(id) ?? []);
  if (ordered.length === companies.size) return ordered;
  const known = new Set(ids); // companies were replaced by as many others
  return [...ordered, ...[...companies].flatMap(([id, company]) => (known.has(id) ? [] : [company]))];
}

/** The watched companies: sorted, filtered, in pages, with actions for the selected ones. The address has the view. */
export function PortfolioList({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const state = useStore(dashboard.store, (one) => one);
  const { companies, watched, settled, isReading, account } = state;
  const view = readView(useParameters());
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const all = useOrdered(companies, view, settled);
  if (account?.modules.includes('MONITOR') === false) return <p className="panel empty">{texts('companies.noMonitor')}</p>;
  const isRead = watched !== null;
  const hasFailed = failureOf(state) !== null;
  const shown = isRead ? all.filter((company) => isInView(company, view)) : [];
  const chosen = shown.filter((company) => selected.has(companyId(company)));
  const page = Math.min(view.page, pagesOf(shown.length, PAGE_ROWS));
  const rows = shown.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);
  const show = (change: Partial<View>): void => replaceParameters(viewParameters({ ...view, page: 1, ...change }));
  const openPage = (to: number): void => replaceParameters(viewParameters({ ...view, page: to }), 'pushState');
  const unassessed = isRead ? unread(state).length : 0;
  return (
    <section className="panel portfolio" aria-labelledby="list-title" aria-busy={!isRead && !hasFailed}>
      <header className="column">
        <h2 id="list-title">
          {texts('companies.title')}{' '}
          {(isRead || !hasFailed) && (
            <span className="quiet small" role="status">
              {isRead ? texts('companies.count', { shown: shown.length, n: all.length }) : <Skeleton />}
            </span>
          )}
        </h2>
        <ListFilters view={view} tags={tagsOf(all)} onChange={show} />
        {isRead && !isReading && <Unassessed companies={all} texts={texts} onShow={() => show({ level: 'NONE' })} />}
      </header>
      {chosen.length > 0 && <BulkActions dashboard={dashboard} chosen={chosen} tags={tagsOf(all)} onDone={() => setSelected(new Set())} />}
      {!isRead && <NotReadYet dashboard={dashboard} />}
      {isRead && shown.length === 0 && (
        <p className="empty">{texts(all.length > 0 && isFiltered(view) ? 'list.noMatch' : 'list.nothing')}</p>
      )}
      {shown.length > 0 && (
        <ListTable
          rows={rows}
          view={view}
          isReading={isReading}
          selected={selected}
          shown={shown}
          onSelect={setSelected}
          onSort={(sort, isDescending) => show({ sort, isDescending })}
        />
      )}
      <Pages label={texts('list.pages')} page={page} size={PAGE_ROWS} total={shown.length} onOpen={openPage} />
      {unassessed > 0 && (
        <p className="body row">
          <WorkButton
            text={texts('companies.assess', { n: Math.min(unassessed, READ_AT_ONCE) })}
            work={() => dashboard.portfolio.assessMore()}
          />
        </p>
      )}
    </section>
  );
}

interface UnassessedProps {
  readonly companies: readonly WatchedCompany[];
  readonly texts: Texts;
  readonly onShow: () => void;
}

/** The numbers of companies without a verdict by country, also of countries that have no consolidated check. */
function Unassessed({ companies, texts, onShow }: UnassessedProps) {
  const counts = unassessedByCountry(companies);
  if (counts.length === 0) return null;
  const named = counts.map(({ country, count }) => `${texts(`country.${country}`)} ${count.toLocaleString(texts.language)}`);
  return (
    <p className="small">
      <button type="button" className="plain" onClick={onShow}>
        {texts('list.unassessed', { counts: named.join(', ') })}
      </button>
    </p>
  );
}
