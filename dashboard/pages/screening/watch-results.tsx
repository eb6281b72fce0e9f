import { useState } from 'react';
import type { ScreeningResult } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { knownWatched } from '../../state/model.ts';
import { useMay } from '../../state/role.ts';
import { companiesOf, MAX_WATCHED_AT_ONCE, type ResultFilter, watchNew } from '../../state/screening-results.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';
import { WorkButton } from '../work-button.tsx';

type Company = ScreeningResult['company'];

interface Props {
  readonly dashboard: Dashboard;
  /** Id of the screening. */
  readonly id: string;
  readonly filter: ResultFilter;
  /** Number of results that the filter selects. */
  readonly count: number;
  readonly chosen: readonly Company[];
  /** Called after companies were watched. */
  readonly onDone: () => void;
}

/** Buttons that watch the chosen companies of a screening, or all that the filter selects. Shown for a key that has the module monitor and may watch. */
export function WatchResults({ dashboard, id, filter, count, chosen, onDone }: Props) {
  const texts = useTexts();
  const account = useStore(dashboard.store, (state) => state.account);
  const mayWatch = useMay('DECIDE');
  const [added, setAdded] = useState<number | null>(null);
  const watch = async (companies: readonly Company[]): Promise<void> => {
    setAdded(null);
    setAdded(await watchNew(dashboard.client, companies, knownWatched(dashboard.store.get())));
    onDone();
    await dashboard.portfolio.load();
  };
  if (!mayWatch || !account?.modules.includes('MONITOR') || count === 0) return null;
  return (
    <div className="body row watch-results">
      {chosen.length > 0 && <WorkButton text={texts('screened.watchChosen', { n: chosen.length })} isPrimary work={() => watch(chosen)} />}
      {count <= MAX_WATCHED_AT_ONCE ? (
        <WorkButton
          text={texts('screened.watchAll', { n: count })}
          work={async () => watch(await companiesOf(dashboard.client, id, filter))}
        />
      ) : (
        <span className="quiet small">{texts('screened.tooMany', { n: MAX_WATCHED_AT_ONCE })}</span>
      )}
      <span role="status">{added !== null && texts(added > 0 ? 'portfolio.done' : 'screened.noneAdded', { n: added })}</span>
    </div>
  );
}
