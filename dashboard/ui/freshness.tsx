import type { Age as Freshness } from '../api/operations.ts';
import { useTexts } from '../texts/texts.ts';
import { Ago } from './age.tsx';
import { Badge } from './badge.tsx';
import { dateText } from './date.ts';

/** Age of an answer: the time at which its source was read, the date of its data, and whether it came from the cache. */
export function FreshnessLine({ freshness: { fetchedAt, dataAsOf, cached, stale } }: { readonly freshness: Freshness }) {
  const texts = useTexts();
  return (
    <p className="quiet small row">
      <span>
        {texts('freshness.read')} <Ago at={fetchedAt} />
        {cached && ` (${texts('freshness.cached')})`}
      </span>
      {dataAsOf && <span>{texts('freshness.of', { date: dateText(dataAsOf, texts.language) })}</span>}
      {stale && <Badge tone="medium">{texts('freshness.stale')}</Badge>}
    </p>
  );
}
