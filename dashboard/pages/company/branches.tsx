import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { type Branch, Branches as BranchesQuery, type Country } from '../../api/operations.ts';
import { useAction } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { dateText } from '../../ui/date.ts';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { Link } from '../../ui/link.tsx';
import { problemText } from '../../ui/problem.ts';
import { companyPath } from '../../ui/route.ts';
import { branchCount } from './branch-count.ts';

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
}

type Page = NonNullable<NonNullable<BranchesQuery['company']>['branches']>;

/** The branches of a company, a page at a time on demand, because each page counts on the key's plan. */
export function Branches({ client, country, identifier }: Props) {
  const texts = useTexts();
  const [branches, setBranches] = useState<readonly Branch[]>([]);
  const [last, setLast] = useState<Page | null>(null);
  const read = useAction(client, BranchesQuery, ({ company }) => {
    const page = company?.branches;
    if (!page) return;
    setBranches((before) => [...before, ...page.nodes]);
    setLast(page);
  });
  const { isBusy, problem } = read;
  const after = last?.pageInfo.endCursor ?? null;
  return (
    <div className="body column small" data-branches>
      {last && <Read branches={branches} last={last} />}
      {(last === null || last.pageInfo.hasNextPage) && (
        <p>
          <button type="button" disabled={isBusy} onClick={() => void read.run({ country, identifier, after })}>
            {texts(last ? 'branches.more' : 'branches.read')}
          </button>
        </p>
      )}
      {problem && <p role="status">{problem.code === 'SOURCE_NOT_CONFIGURED' ? texts('branches.noCopy') : problemText(problem, texts)}</p>}
    </div>
  );
}

/**
 * The branches that were read. Their number is the least one while some may be missing, and none is no number then. A company that the registry
 * does not have has none.
 */
function Read({ branches, last }: { readonly branches: readonly Branch[]; readonly last: Page }) {
  const texts = useTexts();
  const { companyKnown, reason, freshness } = last;
  const count = branchCount(branches.length, last);
  return (
    <>
      <div className="row spread">
        {count && <strong>{texts('branches.title', { n: `${count.n.toLocaleString(texts.language)}${count.isLeast ? '+' : ''}` })}</strong>}
        <FreshnessLine freshness={freshness} />
      </div>
      {!companyKnown && <p>{texts('branches.unknown')}</p>}
      {reason !== null && <p>{reason}</p>}
      <ul className="records">
        {branches.map((branch) => (
          <BranchRow key={branch.company.id} branch={branch} />
        ))}
      </ul>
    </>
  );
}

function BranchRow({ branch: { company, tradeName, statusText, statusSince, municipality, region } }: { readonly branch: Branch }) {
  const texts = useTexts();
  const since = statusSince && dateText(statusSince, texts.language);
  const place = [municipality, region].filter(Boolean).join('/');
  return (
    <li>
      <Link href={companyPath(company)}>{company.formattedIdentifier}</Link>{' '}
      {[tradeName, [statusText, since].filter(Boolean).join(' '), place].filter(Boolean).join(' · ')}
    </li>
  );
}
