import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Candidate, PublicRecord } from '../../api/operations.ts';
import type { WatchedCompany } from '../../state/model.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { addressText } from '../../ui/address.ts';
import { dateText } from '../../ui/date.ts';

/** A company that is compared with a listed party. */
export interface ComparedCompany extends Pick<WatchedCompany, 'country' | 'identifier' | 'formattedIdentifier' | 'name' | 'language'> {
  /** Its registration; null if it was not read, undefined on pages that do not read it. */
  readonly record?: PublicRecord | null;
}

interface Props {
  readonly company: ComparedCompany;
  readonly candidate: Candidate;
}

/** A candidate beside the company, field by field. The lists are published in English. */
export function Comparison({ company, candidate }: Props) {
  const texts = useTexts();
  return (
    <details className="small comparison">
      <summary>{texts('compare.title')}</summary>
      <table className="as-cards">
        <thead>
          <tr>
            <td />
            <th scope="col">{texts('compare.company')}</th>
            <th scope="col">{texts('compare.party')}</th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(company, candidate, texts).map(({ field, ours, theirs }) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td data-label={texts('compare.company')}>
                <Values values={ours} />
              </td>
              <td lang="en" data-label={texts('compare.party')}>
                <Values values={theirs} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {company.record === undefined && <p className="quiet">{texts('compare.more')}</p>}
    </details>
  );
}

function Values({ values }: { readonly values: readonly string[] }) {
  if (values.length === 0) return <span className="quiet">–</span>;
  return (
    <>
      {values.map((value) => (
        <div key={value}>{value}</div>
      ))}
    </>
  );
}

interface Row {
  readonly field: string;
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

/** Returns the fields that the company or the party has. */
function rowsOf(company: ComparedCompany, candidate: Candidate, texts: Texts): readonly Row[] {
  const { record, name, formattedIdentifier, country } = company;
  const { entryName, programs, countries, list, party } = candidate;
  const date = (day: string | null | undefined): string | null => (day ? dateText(day, texts.language) : null);
  const rows: readonly (readonly [string, ours: readonly (string | null | undefined)[], theirs: readonly (string | null)[]])[] = [
    [texts('compare.name'), [name], [entryName]],
    [texts('compare.aliases'), [record?.tradeName], party.aliases],
    [texts('compare.taxId'), [formattedIdentifier], party.taxIds],
    [texts('compare.country'), [texts(`country.${country}`)], countries],
    [texts('compare.address'), [record && addressText(record.address)], party.addresses],
    [texts('compare.founded'), [date(record?.openedOn)], party.foundationDates],
    [texts('compare.list'), [], [[sourceNameIn(list, texts.language), party.reference].filter(Boolean).join(' · ')]],
    [texts('compare.programs'), [], programs],
    [texts('compare.remarks'), [], [party.remarks]],
  ];
  return rows
    .map(([field, ours, theirs]) => ({ field, ours: known(ours), theirs: known(theirs) }))
    .filter(({ ours, theirs }) => ours.length > 0 || theirs.length > 0);
}

const known = (values: readonly (string | null | undefined)[]): readonly string[] => [
  ...new Set(values.filter((value): value is string => Boolean(value))),
];
