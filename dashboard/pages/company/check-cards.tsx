import type { ReactNode } from 'react';
import type { QuipuError } from '../../../clients/typescript/src/error.ts';
import type { Age, Debarment, Labor, Owners, Registration, Sanctions } from '../../api/operations.ts';
import { isRefused } from '../../state/check-sources.ts';
import type { ShownCompany } from '../../state/model.ts';
import { type TextKey, type Texts, useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { dateText } from '../../ui/date.ts';
import { FreshnessLine } from '../../ui/freshness.tsx';

/** Content of the card of a check. */
interface Finding {
  readonly tone: Tone;
  readonly state: string;
  readonly meaning: string;
  readonly freshness: Age;
  /** Records behind the finding, one line each. */
  readonly records?: readonly { readonly id: string; readonly text: ReactNode }[];
}

/** The checks of a company: five of the consolidated check for Brazil, otherwise those of its country. */
export function CheckCards({ company, errors }: { readonly company: ShownCompany; readonly errors: readonly QuipuError[] }) {
  const texts = useTexts();
  const { compliance, kyb, sanctions, taxHealth } = company;
  if (compliance === null) return null;
  if (compliance) {
    const { checks } = compliance;
    return (
      <div className="cards checks">
        <Card title="check.KYB" finding={checks.kyb && registration(checks.kyb, texts)} />
        <Card title="check.SANCTIONS" finding={checks.sanctions && sanctionsOf(checks.sanctions, texts)} />
        <Card title="check.DEBARMENT" finding={checks.debarment && debarmentOf(checks.debarment, texts)} />
        <Card title="check.LABOR" finding={checks.labor && laborOf(checks.labor, texts)} />
        <Card title="check.OWNERS" finding={checks.owners && ownersOf(checks.owners, texts)} />
      </div>
    );
  }
  return (
    <div className="cards checks">
      {company.country !== 'CO' && (
        <Card title="check.KYB" finding={kyb ? registration(kyb, texts) : null} isRefused={isRefused(errors, 'kyb')} />
      )}
      <Card title="check.SANCTIONS" finding={sanctions ? sanctionsOf(sanctions, texts) : null} isRefused={isRefused(errors, 'sanctions')} />
      {company.country === 'CL' && (
        <Card
          title="check.TAX_HEALTH"
          finding={taxHealth ? taxHealthOf(taxHealth, texts) : null}
          isRefused={isRefused(errors, 'taxHealth')}
        />
      )}
    </div>
  );
}

interface CardProps {
  readonly title: TextKey;
  /** Finding; null if the check has no answer. */
  readonly finding: Finding | null;
  /** True if the key has no module for the check. */
  readonly isRefused?: boolean;
}

function Card({ title, finding, isRefused = false }: CardProps) {
  const texts = useTexts();
  if (isRefused)
    return (
      <article className="panel card">
        <h3>{texts(title)}</h3>
        <p className="small quiet">{texts('company.noModule')}</p>
      </article>
    );
  return (
    <article className="panel card">
      <div className="row spread">
        <h3>{texts(title)}</h3>
        <Badge tone={finding?.tone ?? 'medium'}>{finding?.state ?? texts('check.failed')}</Badge>
      </div>
      <p className="small">{finding?.meaning ?? texts('check.failed.meaning')}</p>
      {finding?.records && finding.records.length > 0 && (
        <ul className="records small">
          {finding.records.map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
        </ul>
      )}
      {finding && <FreshnessLine freshness={finding.freshness} />}
    </article>
  );
}

function registration(kyb: Registration, texts: Texts): Finding {
  const { status, registration: word, specialSituation, foundedYear, endDate, freshness } = kyb;
  const details = [
    foundedYear === null ? null : texts('kyb.since', { year: String(foundedYear) }),
    endDate && `† ${dateText(endDate, texts.language)}`,
    specialSituation && texts('kyb.situation', { text: specialSituation }),
  ].filter((one) => one !== null && one !== '');
  return {
    tone: status === 'ACTIVE' ? 'low' : 'medium',
    state: texts(`kyb.${status}`),
    meaning: texts(`kyb.meaning.${status}`, { word: word ?? '' }),
    freshness,
    records: details.map((text) => ({ id: String(text), text })),
  };
}

const entries = (count: number, tone: Tone, texts: Texts): Pick<Finding, 'tone' | 'state'> =>
  count === 0 ? { tone: 'low', state: texts('list.none') } : { tone, state: texts('list.some', { n: count }) };

/** Writes a period. An open end is unknown or in the future. */
const period = (start: string | null, end: string | null, { language }: Texts): string =>
  `${start ? dateText(start, language) : '?'} – ${end ? dateText(end, language) : '…'}`;

const branch = (matchedOn: string, texts: Texts): string => (matchedOn === 'ROOT' ? ` · ${texts('record.ROOT')}` : '');

const sanctionsOf = ({ matches, freshness }: Sanctions, texts: Texts): Finding => ({
  ...entries(matches.length, 'high', texts),
  meaning: texts('sanctions.meaning'),
  freshness,
  records: matches.map(({ id, list, entryName, programs, matchedOn }) => ({
    id,
    text: `${list}: ${entryName} (${programs.join(', ')})${branch(matchedOn, texts)}`,
  })),
});

const debarmentOf = ({ records, freshness }: Debarment, texts: Texts): Finding => ({
  ...entries(records.length, 'medium', texts),
  meaning: texts('debarment.meaning'),
  freshness,
  records: records.map(({ id, source, sanctionType, sanctioningBody, dateStart, dateEnd, status, matchedOn }) => ({
    id,
    text: `${source}: ${sanctionType}, ${sanctioningBody} · ${period(dateStart, dateEnd, texts)} · ${texts(`record.${status}`)}${branch(matchedOn, texts)}`,
  })),
});

const laborOf = ({ records, freshness }: Labor, texts: Texts): Finding => ({
  ...entries(records.length, 'high', texts),
  meaning: texts('labor.meaning'),
  freshness,
  records: records.map(({ id, employer, year, workersRescued, status, matchedOn }) => ({
    id,
    text: `${employer} · ${year} · ${workersRescued} · ${texts(`record.${status}`)}${branch(matchedOn, texts)}`,
  })),
});

const ownersOf = ({ count, freshness, companyKnown }: Owners, texts: Texts): Finding => ({
  tone: companyKnown ? 'low' : 'none',
  state: count === 0 ? texts('owners.none') : texts('owners.count', { n: count }),
  meaning: texts('owners.meaning'),
  freshness,
});

const taxHealthOf = ({ status, riskSignals, freshness }: NonNullable<ShownCompany['taxHealth']>, texts: Texts): Finding => ({
  tone: riskSignals.length > 0 ? 'medium' : 'low',
  state: texts(`kyb.${status}`),
  meaning: texts('tax.meaning'),
  freshness,
  records: [
    { id: 'signals', text: riskSignals.length > 0 ? texts('tax.signals', { text: riskSignals.join(', ') }) : texts('tax.noSignals') },
  ],
});
