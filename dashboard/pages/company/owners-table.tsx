import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Owners } from '../../api/operations.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { dateText } from '../../ui/date.ts';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { Link } from '../../ui/link.tsx';
import { publishedKey } from '../../ui/owners-tone.ts';
import { companyPath } from '../../ui/route.ts';

/** The registered owners and officers, each compared with the lists. An owner that is a company links to its page. */
export function OwnersTable({ owners: answer }: { readonly owners: Owners }) {
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
              <OwnerRow key={owner.id} owner={owner} hasShare={composition !== null} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

type Owner = Owners['owners'][number];

function OwnerRow({ owner, hasShare }: { readonly owner: Owner; readonly hasShare: boolean }) {
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
      <td data-label={texts('owners.screening')}>{screening ? <Screened screening={screening} /> : texts('owners.notScreened')}</td>
    </tr>
  );
}

/** Writes a share that a registry states, with the date of its file. A blank one is unknown. */
function shareText({ percent, asOf }: Owner['share'], texts: Texts): string {
  const amount =
    percent === null ? '?' : (Number(percent) / 100).toLocaleString(texts.language, { style: 'percent', maximumFractionDigits: 2 });
  return asOf === null ? amount : `${amount} (${texts('owners.shareOf', { date: dateText(asOf, texts.language) })})`;
}

/** Result of the comparison of an owner with the lists, and the lists that were not compared, which is not a clearance. */
function Screened({ screening: { candidates, listsChecked, listsNotChecked } }: { readonly screening: NonNullable<Owner['screening']> }) {
  const texts = useTexts();
  const tone = listsNotChecked.length === 0 ? 'low' : 'none';
  return (
    <>
      {!candidates?.length && (
        <Badge tone={candidates ? tone : 'medium'}>{texts(candidates ? 'owners.noCandidate' : 'owners.notScreened')}</Badge>
      )}
      <ul className="records small">
        {candidates?.map((one) => (
          <li key={`${one.list} ${one.entityId}`} data-owner-candidate={one.entityId}>
            <Badge tone={one.decision === 'MATCH' ? 'high' : 'medium'}>{texts(`owners.on.${one.matchedOn}`)}</Badge>{' '}
            <strong>{one.entryName}</strong> {one.score.toLocaleString(texts.language, { style: 'percent' })}
            <div className="quiet">
              {[
                sourceNameIn(one.list, texts.language),
                ...one.programs,
                ...one.nationalities,
                ...one.countries,
                ...one.datesOfBirth.map((day) => dateText(day, texts.language)),
              ].join(' · ')}
              {(one.startsOn || one.endsOn) &&
                ` · ${one.startsOn ? dateText(one.startsOn, texts.language) : '?'} – ${one.endsOn ? dateText(one.endsOn, texts.language) : '…'}`}
            </div>
            <div>{one.explanation}</div>
          </li>
        ))}
      </ul>
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
