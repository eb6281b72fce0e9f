import { useEffect, useState } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Client } from '../../api/client.ts';
import { type Country, TenderOrders } from '../../api/operations.ts';
import { type Order, totalsOf } from '../../state/timeline.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { withDates } from '../../ui/date.ts';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { AnswerNotice } from '../answer-notice.tsx';

interface Props {
  readonly client: Client;
  readonly country: Country;
  readonly identifier: string;
  /** Called with the newest orders when they were read. */
  readonly onRead: (orders: readonly Order[]) => void;
}

/** The orders that the company received as a supplier, by year. They are read on demand, because the answer counts on the key's plan. */
export function Tenders(props: Props) {
  const texts = useTexts();
  const [isOpen, open] = useState(false);
  return (
    <section className="panel" aria-labelledby="tenders-title">
      <header>
        <h2 id="tenders-title">{texts('tenders.title')}</h2>
      </header>
      {isOpen ? (
        <Orders {...props} />
      ) : (
        <p className="body">
          <button type="button" onClick={() => open(true)}>
            {texts('tenders.read')}
          </button>
        </p>
      )}
    </section>
  );
}

function Orders({ client, country, identifier, onRead }: Props) {
  const texts = useTexts();
  const shown = useAnswer(client, TenderOrders, { identifier, country });
  const tenders = shown.answer?.data?.company?.tenders;
  useEffect(() => {
    if (tenders) onRead(tenders.nodes);
  }, [tenders, onRead]);
  return (
    <div className="body column">
      <AnswerNotice shown={shown} />
      {tenders && (
        <>
          <FreshnessLine freshness={tenders.freshness} />
          <p className="small">
            {texts('tenders.count', { shown: tenders.nodes.length, n: tenders.totalCount })} ·{' '}
            {sourceNameIn(tenders.source, texts.language)} · {withDates(tenders.coverage, texts.language)}
          </p>
          {tenders.nodes.length === 0 ? <p className="empty">{texts('tenders.none')}</p> : <Years orders={tenders.nodes} />}
        </>
      )}
    </div>
  );
}

/** A bar for each year with an order, newest first. Its length is the number of orders. */
function Years({ orders }: { readonly orders: readonly Order[] }) {
  const texts = useTexts();
  const years = [...Map.groupBy(orders, ({ date }) => date?.slice(0, 4) ?? '?')].sort(([a], [b]) => b.localeCompare(a));
  const most = Math.max(...years.map(([, those]) => those.length));
  return (
    <table className="list tenders as-cards">
      <thead>
        <tr>
          <th scope="col">{texts('tenders.year')}</th>
          <th scope="col">{texts('tenders.orders')}</th>
          <th scope="col">{texts('tenders.total')}</th>
          <th scope="col" className="optional">
            {texts('tenders.buyers')}
          </th>
        </tr>
      </thead>
      <tbody>
        {years.map(([year, those]) => (
          <tr key={year} data-year={year}>
            <th scope="row">{year}</th>
            <td className="number" data-label={texts('tenders.orders')}>
              <meter min={0} max={most} value={those.length} aria-label={texts('tenders.inYear', { year, n: those.length })} />{' '}
              {those.length.toLocaleString(texts.language)}
            </td>
            <td className="number" data-label={texts('tenders.total')}>
              {totalsOf(those, texts.language).join(' · ')}
            </td>
            <td className="optional small" data-label={texts('tenders.buyers')}>
              {buyersOf(those).join(' · ')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const MOST_BUYERS = 3;

/** Returns the buyers with the highest numbers of orders. */
const buyersOf = (orders: readonly Order[]): readonly string[] =>
  [
    ...Map.groupBy(
      orders.flatMap(({ buyer }) => buyer ?? []),
      (buyer) => buyer,
    ),
  ]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MOST_BUYERS)
    .map(([buyer, those]) => `${buyer} (${those.length})`);
