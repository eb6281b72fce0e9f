import type { Owners } from '../../api/operations.ts';
import { useTexts } from '../../texts/texts.ts';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { Link } from '../../ui/link.tsx';
import { companyPath } from '../../ui/route.ts';

/** The registered owners and officers. An owner that is a company links to its page. */
export function OwnersTable({ owners: { owners, freshness, count } }: { readonly owners: Owners }) {
  const texts = useTexts();
  return (
    <section className="panel" aria-labelledby="owners-title">
      <header className="row spread">
        <h2 id="owners-title">
          {texts('company.owners')} <span className="quiet small">{count}</span>
        </h2>
        <FreshnessLine freshness={freshness} />
      </header>
      {owners.length === 0 && <p className="empty">{texts('owners.none')}</p>}
      {owners.length > 0 && (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{texts('owners.name')}</th>
              <th scope="col">{texts('owners.role')}</th>
              <th scope="col" className="optional">
                {texts('owners.since')}
              </th>
            </tr>
          </thead>
          <tbody>
            {owners.map(({ id, name, role, entityType, identifier, entryDate, company, country }) => (
              <tr key={id}>
                <td>
                  {company ? <Link href={companyPath(company)}>{name}</Link> : name}
                  <div className="quiet small">
                    {[texts(`owners.${entityType}`), company?.formattedIdentifier ?? identifier, country].filter(Boolean).join(' · ')}
                  </div>
                </td>
                <td>{role}</td>
                <td className="optional number">{entryDate}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
