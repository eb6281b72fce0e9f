import type { ReactNode } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { PublicRecord, Regime, Term } from '../../api/operations.ts';
import { type TextKey, type Texts, useTexts } from '../../texts/texts.ts';
import { addressText } from '../../ui/address.ts';
import { dateText } from '../../ui/date.ts';
import { Chambers } from './chambers.tsx';

/** The whole public record of a company at its registry. A field without a value is left out. */
export function RegistrationCard({ record }: { readonly record: PublicRecord }) {
  const texts = useTexts();
  const rows = rowsOf(record, texts).filter(([, value]) => value !== null && value !== '');
  return (
    <>
      <dl className="body">
        {rows.map(([key, value]) => (
          <div key={key}>
            <dt className="quiet small">{texts(key)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Activities terms={record.otherActivities ?? []} />
      <Chambers registrations={record.chamberRegistrations ?? []} />
      <details className="body small">
        <summary>{texts('sources.details')}</summary>
        <code>{[record.source, record.mirror].filter(Boolean).join(' · ')}</code>
      </details>
    </>
  );
}

type Row = readonly [label: TextKey, value: ReactNode];

function rowsOf(record: PublicRecord, texts: Texts): readonly Row[] {
  const date = (day: string | null): string | null => day && dateText(day, texts.language);
  return [
    ['record.tradeName', record.tradeName],
    ['record.legalNature', termText(record.legalNature)],
    ['record.size', record.size],
    ['record.capital', capitalText(record, texts)],
    ['record.openedOn', date(record.openedOn)],
    ['record.lastRenewed', record.lastRenewedYear === null ? null : String(record.lastRenewedYear)],
    ['record.status', [record.statusText, date(record.statusSince)].filter(Boolean).join(' · ')],
    ['record.statusReason', termText(record.statusReason)],
    [
      'record.special',
      record.specialSituation && [record.specialSituation, date(record.specialSituationSince)].filter(Boolean).join(' · '),
    ],
    ['record.branch', texts(record.isBranch ? 'record.isBranch' : 'record.isHeadOffice')],
    ['record.activity', termText(record.mainActivity)],
    ['record.address', addressText(record.address)],
    ['record.simples', regimeText(record.simples, texts)],
    ['record.mei', regimeText(record.mei, texts)],
    ['record.entity', record.federativeEntity],
    ['record.source', sourceNameIn(record.source, texts.language)],
  ];
}

const termText = (term: Term | null): string | null => term && [term.code, term.text].filter(Boolean).join(' ');

function capitalText({ capital, isCapitalRounded }: PublicRecord, texts: Texts): string | null {
  if (capital === null) return null;
  const amount = Number(capital).toLocaleString(texts.language, { style: 'currency', currency: 'BRL' });
  return isCapitalRounded ? `${amount} (${texts('record.rounded')})` : amount;
}

function regimeText(regime: Regime | null, texts: Texts): string | null {
  if (!regime) return null;
  if (regime.isMember === null) return texts('record.never');
  const period = [regime.since, regime.until].map((day) => (day ? dateText(day, texts.language) : ''));
  const dates = period.some((one) => one !== '') ? ` (${period.join(' – ').replace(/ – $/, '')})` : '';
  return texts(regime.isMember ? 'record.yes' : 'record.no') + dates;
}

function Activities({ terms }: { readonly terms: readonly Term[] }) {
  const texts = useTexts();
  if (terms.length === 0) return null;
  return (
    <details className="body small">
      <summary>{texts('record.otherActivities', { n: terms.length })}</summary>
      <ul>
        {terms.map((term) => (
          <li key={termText(term)}>{termText(term)}</li>
        ))}
      </ul>
    </details>
  );
}
