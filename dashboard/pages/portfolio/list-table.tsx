import { companyId, type WatchedCompany } from '../../state/model.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { Age } from '../../ui/age.tsx';
import { Badge, RiskBadge } from '../../ui/badge.tsx';
import { dayText } from '../../ui/date.ts';
import { Link } from '../../ui/link.tsx';
import { nameText } from '../../ui/name.ts';
import { OwnersToReview } from '../../ui/owners-to-review.tsx';
import { companyPath } from '../../ui/route.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { COLUMNS, type Column, type View } from './list-view.ts';

/** Columns whose first click sorts from the largest value: the highest risk, the newest moment. */
const FIRST_DESCENDING: ReadonlySet<Column> = new Set(['level', 'owners', 'since', 'changed']);

interface Props {
  /** Companies of this page. */
  readonly rows: readonly WatchedCompany[];
  /** Companies of all pages. */
  readonly shown: readonly WatchedCompany[];
  readonly view: View;
  readonly isReading: boolean;
  /** Ids of the selected companies. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onSort: (sort: Column, isDescending: boolean) => void;
}

/** A page of the list. On a narrow screen each row is a card, and the headers remain as buttons that sort. */
export function ListTable({ rows, shown, view, isReading, selected, onSelect, onSort }: Props) {
  const texts = useTexts();
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const areAllSelected = shown.every((company) => selected.has(companyId(company)));
  return (
    <table className="list watched">
      <thead>
        <tr>
          <td>
            <input
              type="checkbox"
              aria-label={texts('list.selectAll', { n: shown.length })}
              checked={areAllSelected}
              onChange={() => onSelect(new Set(areAllSelected ? [] : shown.map(companyId)))}
            />
          </td>
          {COLUMNS.map((column) => (
            <SortHeader key={column} column={column} view={view} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((company) => (
          <CompanyRow
            key={companyId(company)}
            company={company}
            isReading={isReading}
            isSelected={selected.has(companyId(company))}
            onToggle={() => toggle(companyId(company))}
          />
        ))}
      </tbody>
    </table>
  );
}

interface HeaderProps {
  readonly column: Column;
  readonly view: View;
  readonly onSort: Props['onSort'];
}

function SortHeader({ column, view: { sort, isDescending }, onSort }: HeaderProps) {
  const texts = useTexts();
  const isSorted = sort === column;
  const order = isDescending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isSorted ? order : 'none'}>
      <button type="button" className="plain" onClick={() => onSort(column, isSorted ? !isDescending : FIRST_DESCENDING.has(column))}>
        {texts(`list.${column}`)}
        <span aria-hidden="true">{isSorted && (isDescending ? ' ↓' : ' ↑')}</span>
      </button>
    </th>
  );
}

interface RowProps {
  readonly company: WatchedCompany;
  readonly isReading: boolean;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
}

function CompanyRow({ company, isReading, isSelected, onToggle }: RowProps) {
  const texts = useTexts();
  const { country, formattedIdentifier, verdict, tags, watchedSince, lastChangeAt } = company;
  const name = nameOf(company, texts);
  return (
    <tr data-company={companyId(company)}>
      <td>
        <input type="checkbox" aria-label={texts('list.select', { name })} checked={isSelected} onChange={onToggle} />
      </td>
      <th scope="row">
        <Link href={companyPath(company)} className="name">
          {name}
        </Link>
        {name !== formattedIdentifier && <span className="quiet small number">{formattedIdentifier}</span>}
      </th>
      <td data-label={texts('list.country')}>{texts(`country.${country}`)}</td>
      <td data-label={texts('list.level')}>
        <Level company={company} isReading={isReading} />
      </td>
      <td data-label={texts('list.owners')} className="small">
        {verdict?.ownersToReview && verdict.ownersToReview.owners > 0 ? <OwnersToReview verdict={verdict} country={country} /> : '–'}
      </td>
      <td data-label={texts('list.tags')}>
        {tags.length === 0 && '–'}
        {tags.map((tag) => (
          <span key={tag} className="tag small" title={tag}>
            {tag}
          </span>
        ))}
      </td>
      <td data-label={texts('list.since')} className="small">
        {watchedSince === null ? <Unknown title={texts('list.sinceUnknown')} /> : dayText(watchedSince, texts.language)}
      </td>
      <td data-label={texts('list.changed')} className="small">
        {lastChangeAt === null ? <Unknown title={texts('list.neverChanged')} /> : <Age at={lastChangeAt} />}
      </td>
    </tr>
  );
}

const nameOf = (company: WatchedCompany, texts: Texts): string =>
  company.readAt === null ? (company.name ?? company.formattedIdentifier) : nameText(company, texts);

function Level({ company: { readAt, verdict }, isReading }: Pick<RowProps, 'company' | 'isReading'>) {
  const texts = useTexts();
  if (readAt !== null) return <RiskBadge verdict={verdict} />;
  return isReading ? <Skeleton /> : <Badge tone="none">{texts('risk.UNREAD')}</Badge>;
}

/** A dash with the reason for which there is no value. */
function Unknown({ title }: { readonly title: string }) {
  return (
    <span title={title}>
      <span aria-hidden="true">–</span>
      <span className="hidden">{title}</span>
    </span>
  );
}
