import { useContext, useState } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Client } from '../../api/client.ts';
import { type Candidate, type PublicRecord, PublicRegistration } from '../../api/operations.ts';
import type { WatchedCompany } from '../../state/model.ts';
import { AccountContext } from '../../state/role.ts';
import { useAction } from '../../state/use-action.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { addressText } from '../../ui/address.ts';
import { dateText } from '../../ui/date.ts';
import { problemText } from '../../ui/problem.ts';

/** A company that is compared with a listed party. */
export interface ComparedCompany extends Pick<WatchedCompany, 'country' | 'identifier' | 'formattedIdentifier' | 'name' | 'language'> {
  /** Its registration; null if the registry has no such company, absent if it was not read. */
  readonly record?: PublicRecord | null | undefined;
}

interface Props {
  readonly client: Client;
  readonly company: ComparedCompany;
  readonly candidate: Candidate;
}

/** A candidate beside the company, field by field. The lists are published in English. */
export function Comparison({ client, company: given, candidate }: Props) {
  const texts = useTexts();
  const [read, setRead] = useState<PublicRecord | null>(null);
  const company = read && given.record === undefined ? { ...given, record: read } : given;
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
      {company.record === undefined && <MoreOfCompany client={client} company={company} onRead={setRead} />}
    </details>
  );
}

interface MoreProps extends Pick<Props, 'client' | 'company'> {
  readonly onRead: (record: PublicRecord | null) => void;
}

/** Reads the registration of the company on demand, because it counts on the key's plan. For a key without its module a sentence says where it is. */
function MoreOfCompany({ client, company: { country, identifier }, onRead }: MoreProps) {
  const texts = useTexts();
  const hasKyb = useContext(AccountContext)?.modules.includes('KYB') ?? false;
  const { isBusy, problem, run } = useAction(client, PublicRegistration, ({ company }) => onRead(company?.registration ?? null));
  if (!hasKyb) return <p className="quiet">{texts('compare.more')}</p>;
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void run({ country, identifier })}>
        {texts('compare.read')}
      </button>
      {problem && <p role="alert">{problemText(problem, texts)}</p>}
    </>
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
