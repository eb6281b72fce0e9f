import type { Age as Freshness } from '../api/operations.ts';
import { useTexts } from '../texts/texts.ts';
import { Age } from './age.tsx';
import { Badge } from './badge.tsx';

/** How old an answer is: when its source was read, the date of its data, and whether it came from the cache. */
export function FreshnessLine({ freshness: { fetchedAt, dataAsOf, cached, stale } }: { readonly freshness: Freshness }) {
  const texts = useTexts();
  return (
    <p className="quiet small row">
      <span>
        {texts('freshness.read')} <Age at={fetchedAt} />
        {cached && ` (${texts('freshness.cached')})`}
      </span>
      {dataAsOf && <span>{texts('freshness.of', { date: new Date(`${dataAsOf}T12:00:00Z`).toLocaleDateString(texts.language) })}</span>}
      {stale && <Badge tone="medium">{texts('freshness.stale')}</Badge>}
    </p>
  );
}
