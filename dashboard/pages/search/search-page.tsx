import { askingOnce } from '../../api/ask-once.ts';
import type { Client } from '../../api/client.ts';
import { SearchByName } from '../../api/operations.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { search } from '../../texts/search.ts';
import { addTexts, useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { oneOf } from '../../ui/query.ts';
import { companyPath } from '../../ui/route.ts';
import { useTitle } from '../../ui/title.ts';
import { useCursors } from '../../ui/use-cursors.ts';
import { AnswerNotice } from '../answer-notice.tsx';
import { NAMED_COUNTRIES, type NamedCountry, placeOf } from '../lookup/suggestions.ts';
import { Pager } from '../screening/pager.tsx';
import '../screening/screening.css';

addTexts(search);

/** All companies that a search by name finds, by pages. The address has the country and the name. */
export function SearchPage({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const given = useParameters();
  const country = oneOf(given.get('country'), NAMED_COUNTRIES);
  const name = (given.get('q') ?? '').trim();
  useTitle(texts('search.title'));
  return (
    <>
      <header>
        <h1>{texts('search.title')}</h1>
        {country && name && <p className="quiet">{texts('search.hint', { country: texts(`country.${country}`), name })}</p>}
      </header>
      {country && name ? (
        <Results key={`${country} ${name}`} client={askingOnce(client)} country={country} name={name} />
      ) : (
        <p className="panel empty">{texts('search.nothingAsked')}</p>
      )}
    </>
  );
}

interface Props {
  readonly client: Client;
  readonly country: NamedCountry;
  readonly name: string;
}

function Results({ client, country, name }: Props) {
  const texts = useTexts();
  const cursors = useCursors();
  const shown = useAnswer(client, SearchByName, { name, country, after: cursors.after });
  const page = shown.answer?.data?.searchCompanies;
  const failure = shown.problem ?? shown.answer?.errors[0];
  if (failure?.code === 'SOURCE_NOT_CONFIGURED')
    return <p className="panel empty">{texts('lookup.noCopy', { country: texts(`country.${country}`) })}</p>;
  const isEnd = shown.isCurrent && page?.pageInfo.hasNextPage === false;
  return (
    <section className="panel" aria-label={texts('search.results')} aria-busy={!shown.isCurrent && !shown.problem}>
      <AnswerNotice shown={shown} />
      {page?.nodes.length === 0 && cursors.after === null && (
        <p className="empty">{texts('lookup.nothing', { country: texts(`country.${country}`) })}</p>
      )}
      <ul className="results">
        {page?.nodes.map((found) => (
          <li key={found.company.id} data-found={found.company.identifier}>
            <span className="wide">
              <Link href={companyPath(found.company)} className="name">
                {found.name}
              </Link>
              <span className="quiet small number">
                {[found.company.formattedIdentifier, found.tradeName, placeOf(found)].filter(Boolean).join(' · ')}
              </span>
            </span>
            {found.status && <Badge tone="none">{texts(`kyb.${found.status}`)}</Badge>}
          </li>
        ))}
      </ul>
      {isEnd && page?.isTruncated && <p className="body quiet">{texts('lookup.more')}</p>}
      <Pager cursors={cursors} pageInfo={shown.isCurrent ? page?.pageInfo : undefined} />
    </section>
  );
}
