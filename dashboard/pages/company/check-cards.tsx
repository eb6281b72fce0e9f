import type { QuipuError } from '../../../clients/typescript/src/error.ts';
import { hasOfficers } from '../../../src/domain/company.ts';
import type { Age, ContractFines, Country, Debarment, Labor, Owners, Registration, Sanctions, TaxHealth } from '../../api/operations.ts';
import { type Check, isRefused, SOURCES_OF } from '../../state/check-sources.ts';
import type { ShownCompany } from '../../state/model.ts';
import { type TextKey, type Texts, useTexts } from '../../texts/texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { dateText } from '../../ui/date.ts';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { publishedKey } from '../../ui/owners-tone.ts';

/** Content of the card of a check. */
interface Shown {
  readonly tone: Tone;
  readonly state: string;
  readonly meaning: string;
  readonly freshness: Age;
  /** Details, one line each. The records of lists are in the table of findings. */
  readonly records?: readonly { readonly id: string; readonly text: string }[];
}

type Checks = NonNullable<ShownCompany['compliance']>['checks'];

/** The checks of a company: those of the consolidated check of its country, or the single ones that the key may read. */
export function CheckCards({ company, errors }: { readonly company: ShownCompany; readonly errors: readonly QuipuError[] }) {
  const texts = useTexts();
  const { country, compliance, kyb, sanctions, taxHealth } = company;
  if (compliance === null) return null;
  if (compliance) {
    const findings = findingsOf(compliance.checks, country, texts);
    const checks = Object.keys(SOURCES_OF[country]) as readonly Check[];
    return (
      <div className="cards checks">
        {checks.map((check) => (
          <Card key={check} title={checkTitle(check, country)} finding={findings[check]} />
        ))}
      </div>
    );
  }
  return (
    <div className="cards checks">
      <Card title="check.KYB" finding={kyb ? registration(kyb, country, texts) : null} isRefused={isRefused(errors, 'kyb')} />
      <Card title="check.SANCTIONS" finding={sanctions ? sanctionsOf(sanctions, texts) : null} isRefused={isRefused(errors, 'sanctions')} />
      {country === 'CL' && (
        <Card
          title="check.TAX_HEALTH"
          finding={taxHealth ? taxHealthOf(taxHealth, texts) : null}
          isRefused={isRefused(errors, 'taxHealth')}
        />
      )}
    </div>
  );
}

const checkTitle = (check: Check, country: Country): TextKey =>
  check === 'OWNERS' && hasOfficers({ country }) ? 'check.OFFICERS' : `check.${check}`;

const findingsOf = (checks: Checks, country: Country, texts: Texts): Readonly<Record<Check, Shown | null>> => ({
  KYB: checks.kyb && registration(checks.kyb, country, texts),
  SANCTIONS: checks.sanctions && sanctionsOf(checks.sanctions, texts),
  DEBARMENT: checks.debarment && debarmentOf(checks.debarment, texts),
  LABOR: checks.labor && laborOf(checks.labor, texts),
  OWNERS: checks.owners && ownersOf(checks.owners, texts),
  TAX_HEALTH: checks.taxHealth && taxHealthOf(checks.taxHealth, texts),
  CONTRACT_FINES: checks.contractFines && finesOf(checks.contractFines, texts),
});

interface CardProps {
  readonly title: TextKey;
  /** Finding; null if the check has no answer. */
  readonly finding: Shown | null;
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

/** The registration: at the tax authority, or in the commercial register of Colombia, where a branch can be active by itself. */
function registration(kyb: Registration, country: Country, texts: Texts): Shown {
  const { status, verified, registration: word, specialSituation, foundedYear, endDate, lastRenewedYear, freshness } = kyb;
  const details = [
    foundedYear === null ? null : texts('kyb.since', { year: String(foundedYear) }),
    endDate && `† ${dateText(endDate, texts.language)}`,
    specialSituation && texts('kyb.situation', { text: specialSituation }),
    lastRenewedYear === null ? null : texts('kyb.renewed', { year: String(lastRenewedYear) }),
    status === 'ACTIVE' && !verified && texts('kyb.branchOnly'),
  ].flatMap((one) => one || []);
  return {
    tone: verified ? 'low' : 'medium',
    state: texts(`kyb.${status}`),
    meaning: texts(country === 'CO' ? `register.meaning.${status}` : `kyb.meaning.${status}`, { word: word ?? '' }),
    freshness,
    records: details.map((text) => ({ id: text, text })),
  };
}

const entries = (count: number, tone: Tone, texts: Texts): Pick<Shown, 'tone' | 'state'> =>
  count === 0 ? { tone: 'low', state: texts('entries.none') } : { tone, state: texts('entries.some', { n: count }) };

const sanctionsOf = ({ matches, freshness }: Sanctions, texts: Texts): Shown => ({
  ...entries(matches.length, 'high', texts),
  meaning: texts('sanctions.meaning'),
  freshness,
});

const debarmentOf = ({ records, freshness }: Debarment, texts: Texts): Shown => ({
  ...entries(records.length, 'medium', texts),
  meaning: texts('debarment.meaning'),
  freshness,
});

const laborOf = ({ records, freshness }: Labor, texts: Texts): Shown => ({
  ...entries(records.length, 'high', texts),
  meaning: texts('labor.meaning'),
  freshness,
});

/** Fines raise no level, and no entry is no clearance, because few fines are published. */
const finesOf = ({ records, freshness, namesCompared }: ContractFines, texts: Texts): Shown => ({
  ...entries(records.length, 'none', texts),
  tone: 'none',
  meaning: `${texts('fines.meaning')}${namesCompared ? '' : ` ${texts('fines.namesNotCompared')}`}`,
  freshness,
});

/** Owners that are not published, or rows of which could not be read, are no clearance. */
const ownersOf = (owners: Owners, texts: Texts): Shown => ({
  tone: owners.companyKnown && owners.partnersPublished && owners.composition?.status !== 'UNREAD' ? 'low' : 'none',
  state: owners.count === 0 ? texts('owners.none') : texts('owners.count', { n: owners.count }),
  meaning: texts(publishedKey(owners) ?? 'owners.meaning'),
  freshness: owners.freshness,
});

/** The tax standing. It is no clearance of debts while the list of debtors, which the operator provides, was not read. */
function taxHealthOf({ status, riskSignals, debtorsChecked, debtorsAsOf, taxDebtAmount, freshness }: TaxHealth, texts: Texts): Shown {
  const { language } = texts;
  const debtors = debtorsAsOf ? texts('tax.debtorsOf', { date: dateText(debtorsAsOf, language) }) : texts('tax.debtorsRead');
  const signals = riskSignals.map((signal) => texts(`tax.signal.${signal}`)).join(', ');
  const records = [
    signals === '' ? texts('tax.noSignals') : texts('tax.signals', { text: signals }),
    taxDebtAmount && texts('tax.debt', { amount: Number(taxDebtAmount).toLocaleString(language, { style: 'currency', currency: 'CLP' }) }),
    debtorsChecked ? debtors : texts('tax.noDebtors'),
  ].flatMap((one) => one || []);
  const raisesLevel = riskSignals.some((signal) => signal === 'TAX_DEBTOR' || signal === 'INACTIVE_COMPANY');
  const isClear = debtorsChecked && riskSignals.length === 0;
  return {
    tone: raisesLevel ? 'medium' : isClear ? 'low' : 'none',
    state: texts(`kyb.${status}`),
    meaning: texts('tax.meaning'),
    freshness,
    records: records.map((text) => ({ id: text, text })),
  };
}
