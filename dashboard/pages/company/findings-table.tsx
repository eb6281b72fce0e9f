import { sourceNameIn } from '../../../src/messages/source-names.ts';
import { type Finding, findingsOf } from '../../state/findings.ts';
import type { ShownCompany } from '../../state/model.ts';
import { type TextKey, type Texts, useTexts } from '../../texts/texts.ts';
import { Flag } from '../../ui/badge.tsx';
import { dateText, withDates } from '../../ui/date.ts';

/** Tones of the records of each check. A fine raises no level. */
const TONES = { SANCTIONS: 'high', LABOR: 'high', DEBARMENT: 'medium', TAX_HEALTH: 'medium', CONTRACT_FINES: 'none' } as const;

const COLUMNS = ['list', 'what', 'body', 'period', 'amount', 'reference'] as const;

/** The records of all checks in one table, with a link to the page of each publisher. It shows nothing if there is none. */
export function FindingsTable({ company }: { readonly company: ShownCompany }) {
  const texts = useTexts();
  const findings = findingsOf(company);
  if (findings.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="findings-title">
      <header>
        <h2 id="findings-title">
          {texts('findings.title')} <span className="quiet small">{findings.length}</span>
        </h2>
      </header>
      <table className="list as-cards">
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <th key={column} scope="col">
                {texts(`findings.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {findings.map((finding) => (
            <Row key={`${finding.list} ${finding.id}`} finding={finding} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ finding }: { readonly finding: Finding }) {
  const texts = useTexts();
  const { check, list, what, body, amount, workers, reference, status, isOfBranch, page } = finding;
  const label = (column: (typeof COLUMNS)[number]): string => texts(`findings.${column}` satisfies TextKey);
  return (
    <tr data-finding={list}>
      <td data-label={label('list')}>
        <Flag tone={TONES[check]}>{sourceNameIn(list, texts.language)}</Flag>
        {page && (
          <div className="small">
            <a href={page} target="_blank" rel="noreferrer">
              {texts('findings.page')}
            </a>
          </div>
        )}
      </td>
      <td data-label={label('what')}>
        {what || (check === 'CONTRACT_FINES' && texts('fines.one'))}
        {isOfBranch && <div className="quiet small">{texts('record.ROOT')}</div>}
      </td>
      <td data-label={label('body')}>{body ?? '–'}</td>
      <td data-label={label('period')}>
        {periodText(finding, texts)}
        {status && <div className="quiet small">{texts(`record.${status}`)}</div>}
      </td>
      <td data-label={label('amount')} className="number">
        {amount && amountText(amount, texts)}
        {workers !== null && texts('findings.workers', { n: workers })}
        {amount === null && workers === null && '–'}
      </td>
      <td data-label={label('reference')}>{reference === null ? '–' : withDates(reference, texts.language)}</td>
    </tr>
  );
}

/** Writes a period. An open end is unknown or in the future; a text of the list in place of the end is shown as it is printed. */
function periodText({ check, startsOn, endsOn, endText }: Finding, { language }: Texts): string {
  if (startsOn === null && endsOn === null && endText === null) return '–';
  if (check === 'CONTRACT_FINES' && startsOn !== null) return dateText(startsOn, language);
  const end = endsOn === null ? (endText ?? '…') : dateText(endsOn, language);
  return `${startsOn === null ? '?' : dateText(startsOn, language)} – ${end}`;
}

export const amountText = ({ value, currency }: NonNullable<Finding['amount']>, { language }: Texts): string =>
  Number(value).toLocaleString(language, { style: 'currency', currency });
