import { askingOnce } from '../../api/ask-once.ts';
import type { Client } from '../../api/client.ts';
import { SearchByName } from '../../api/operations.ts';
import { chooseSearch, useIsChosenSearch } from '../../state/chosen-searches.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { search } from '../../texts/search.ts';
import { addTexts, useTexts } from '../../texts/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { oneOf } from '../../ui/query.ts';
import { companyPath } from '../../ui/route.ts';
import { useTitle } from '../../ui/title.ts';
import { type Cursors, useCursors } from '../../ui/use-cursors.ts';
import { AnswerNotice } from '../answer-notice.tsx';
import { NAMED_COUNTRIES, type NamedCountry, placeOf } from '../lookup/suggestions.ts';
import { NoRows } from '../screening/no-rows.tsx';
import { Pager } from '../screening/pager.tsx';
import '../screening/screening.css';

addTexts(search);

/**
 * All companies that a search by name finds, by pages. The address has the country and the name. Each page counts, so it is read after a
 * choice of a person, and not because a link was followed or the document was loaded again.
 */
export function SearchPage({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const given = useParameters();
  const country = oneOf(given.get('country'), NAMED_COUNTRIES);
  const name = (given.get('q') ?? '').trim();
  const title = texts('search.title');
  useTitle(country && name ? `${name} · ${title}` : title);
  return (
    <>
      <header>
        <h1>{title}</h1>
        {country && name && <p className="quiet">{texts('search.hint', { country: texts(`country.${country}`), name })}</p>}
      </header>
      {country && name ? (
        <Search key={`${country} ${name}`} client={client} country={country} name={name} />
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

/** A page of results, or the button that searches for it. */
function Search({ client, country, name }: Props) {
  const texts = useTexts();
  const cursors = useCursors();
  const page = { country, name, after: cursors.after };
  if (useIsChosenSearch(client, page)) return <Results client={client} country={country} name={name} cursors={cursors} />;
  return (
    <section className="panel body column">
      <p>{texts('search.notSent')}</p>
      <div className="row">
        <button type="button" className="primary" onClick={() => chooseSearch(client, page)}>
          {texts('search.send')}
        </button>
      </div>
    </section>
  );
}

function Results({ client, country, name, cursors }: Props & { readonly cursors: Cursors }) {
  const texts = useTexts();
  const shown = useAnswer(askingOnce(client), SearchByName, { name, country, after: cursors.after });
  const page = shown.answer?.data?.searchCompanies;
  const failure = shown.problem ?? shown.answer?.errors[0];
  if (failure?.code === 'SOURCE_NOT_CONFIGURED')
    return <p className="panel empty">{texts('lookup.noCopy', { country: texts(`country.${country}`) })}</p>;
  const next = (after: string): void => {
    chooseSearch(client, { country, name, after });
    cursors.next(after);
  };
  const isEnd = shown.isCurrent && page?.pageInfo.hasNextPage === false;
  return (
    <section className="panel" aria-label={texts('search.results')} aria-busy={!shown.isCurrent && !shown.problem}>
      <AnswerNotice shown={shown} />
      {shown.isCurrent && page?.nodes.length === 0 && (
        <NoRows cursors={cursors} none={texts('lookup.nothing', { country: texts(`country.${country}`) })} />
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
      <Pager cursors={{ ...cursors, next }} pageInfo={shown.isCurrent ? page?.pageInfo : undefined} />
    </section>
  );
}
