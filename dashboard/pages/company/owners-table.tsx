import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Owners } from '../../api/operations.ts';
import { isNotCompared } from '../../state/owner-decisions.ts';
import type { OwnerDecided } from '../../state/use-owner-decisions.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { dateText } from '../../ui/date.ts';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { Link } from '../../ui/link.tsx';
import { publishedKey } from '../../ui/owners-tone.ts';
import { companyPath } from '../../ui/route.ts';
import { OwnerCandidates, type OwnerOfCompany } from './owner-candidates.tsx';

interface Props extends Pick<OwnerOfCompany, 'client' | 'company'> {
  readonly owners: Owners;
  readonly onDecided: (ownerId: string, decided: OwnerDecided) => void;
}

/** The registered owners and officers, each compared with the lists. An owner that is a company links to its page. */
export function OwnersTable({ client, company, owners: answer, onDecided }: Props) {
  const texts = useTexts();
  const { owners, freshness, count, composition } = answer;
  const published = publishedKey(answer);
  return (
    <section className="panel" aria-labelledby="owners-title">
      <header className="row spread">
        <div>
          <h2 id="owners-title">
            {texts('company.owners')} <span className="quiet small">{count}</span>
          </h2>
          <p className="quiet small">
            {texts('owners.hint')} {published && texts(published)}
          </p>
        </div>
        <FreshnessLine freshness={freshness} />
      </header>
      {owners.length === 0 && <p className="empty">{texts('owners.none')}</p>}
      {owners.length > 0 && (
        <table className="list as-cards">
          <thead>
            <tr>
              <th scope="col">{texts('owners.name')}</th>
              <th scope="col">{texts(composition ? 'owners.share' : 'owners.role')}</th>
              <th scope="col" className="optional">
                {texts('owners.since')}
              </th>
              <th scope="col">{texts('owners.screening')}</th>
            </tr>
          </thead>
          <tbody>
            {owners.map((owner) => (
              <OwnerRow
                key={owner.id}
                {...{ client, owner }}
                ofCompany={company}
                hasShare={composition !== null}
                onDecided={(decided) => onDecided(owner.id, decided)}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

type Owner = Owners['owners'][number];

interface RowProps extends Pick<OwnerOfCompany, 'client' | 'onDecided'> {
  readonly ofCompany: OwnerOfCompany['company'];
  readonly owner: Owner;
  readonly hasShare: boolean;
}

function OwnerRow({ client, ofCompany, owner, hasShare, onDecided }: RowProps) {
  const texts = useTexts();
  const { role, entityType, identifier, entryDate, company, country, screening, share } = owner;
  const name = entityType === 'NATURAL_PERSONS' ? texts('owners.NATURAL_PERSONS') : owner.name;
  const kind = entityType === 'NATURAL_PERSONS' ? null : texts(`owners.${entityType}`);
  return (
    <tr>
      <td>
        {company ? <Link href={companyPath(company)}>{name}</Link> : name}
        <div className="quiet small">{[kind, company?.formattedIdentifier ?? identifier, country].filter(Boolean).join(' · ')}</div>
      </td>
      <td data-label={texts(hasShare ? 'owners.share' : 'owners.role')}>{hasShare ? shareText(share, texts) : role}</td>
      <td className="optional number" data-label={texts('owners.since')}>
        {entryDate && dateText(entryDate, texts.language)}
      </td>
      <td data-label={texts('owners.screening')}>
        {screening ? (
          <Screened screening={screening} company={ofCompany} ownerId={owner.id} {...{ client, onDecided }} />
        ) : (
          texts('owners.notScreened')
        )}
      </td>
    </tr>
  );
}

/** Writes a share that a registry states, with the date of its file. A blank one is unknown. */
function shareText({ percent, asOf }: Owner['share'], texts: Texts): string {
  const amount =
    percent === null ? '?' : (Number(percent) / 100).toLocaleString(texts.language, { style: 'percent', maximumFractionDigits: 2 });
  return asOf === null ? amount : `${amount} (${texts('owners.shareOf', { date: dateText(asOf, texts.language) })})`;
}

interface ScreenedProps extends OwnerOfCompany {
  readonly screening: NonNullable<Owner['screening']>;
}

/** Result of the comparison of an owner with the lists, and the lists that were not compared, which is not a clearance. */
function Screened({ screening, ...owner }: ScreenedProps) {
  const texts = useTexts();
  const { candidates, listsChecked, listsNotChecked } = screening;
  const isUnknown = isNotCompared(screening);
  const tone = listsNotChecked.length === 0 ? 'low' : 'none';
  return (
    <>
      {isUnknown && <Badge tone="medium">{texts('owners.notScreened')}</Badge>}
      {!isUnknown && candidates?.length === 0 && <Badge tone={tone}>{texts('owners.noCandidate')}</Badge>}
      {candidates && candidates.length > 0 && <OwnerCandidates {...owner} candidates={candidates} />}
      <details className="small quiet">
        <summary>{texts('owners.lists', { n: listsChecked.length, of: listsChecked.length + listsNotChecked.length })}</summary>
        <ul>
          {listsChecked.map((list) => (
            <li key={list}>{sourceNameIn(list, texts.language)}</li>
          ))}
          {listsNotChecked.map(({ list, reason }) => (
            <li key={list}>
              {sourceNameIn(list, texts.language)}: {texts(`owners.not.${reason}`)}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}
