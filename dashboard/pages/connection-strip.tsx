import { useCallback } from 'react';
import type { Dashboard } from '../state/dashboard.ts';
import type { DashboardState } from '../state/model.ts';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';
import { Ago, useNow } from '../ui/age.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { problemText } from '../ui/problem.ts';

/** Time without data after which a connection is shown as lagging. The server answers a ping every 10 s. */
const LAGGING_MS = 22_000;

type Shown = 'none' | 'connecting' | 'catching-up' | 'live' | 'lagging' | 'offline' | 'refused';

const TONES: Readonly<Record<Shown, Tone>> = {
  none: 'none',
  connecting: 'none',
  'catching-up': 'medium',
  live: 'low',
  lagging: 'medium',
  offline: 'high',
  refused: 'high',
};

function shownState({ account, connection, lastSeenAt }: DashboardState, now: number): Shown {
  if (account && !account.modules.includes('MONITOR')) return 'none';
  const isSilent = connection.phase === 'live' && lastSeenAt !== null && now - lastSeenAt > LAGGING_MS;
  return isSilent ? 'lagging' : connection.phase;
}

/** State of the connection for changes: open or not, its transport, and the age of the last change. */
export function ConnectionStrip({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const connection = useStore(dashboard.store, (state) => state.connection);
  const newest = useStore(dashboard.store, (state) => state.changes[0]);
  const isRead = useStore(dashboard.store, (state) => state.hasReadChanges);
  const problem = useStore(dashboard.store, (state) => state.problem);
  const shown = useNow(useCallback((now: number) => shownState(dashboard.store.get(), now), [dashboard]));
  return (
    <section className="strip" aria-label={texts('connection.label')}>
      <div className="row">
        <span role="status" data-connection={shown}>
          <Badge tone={TONES[shown]}>
            {texts(`connection.${shown}`)}
            {connection.phase === 'catching-up' && ` (${texts('connection.left', { n: connection.left })})`}
          </Badge>
        </span>
        {connection.phase === 'refused' && <span>{problemText(connection.error, texts)}</span>}
        {connection.phase === 'live' && <span className="quiet">{texts(`transport.${connection.transport}`)}</span>}
        <span className="quiet">
          {newest ? (
            <>
              {texts('lastChange')} <Ago at={newest.detectedAt} />
            </>
          ) : (
            isRead && texts('noChangeYet')
          )}
        </span>
        {problem && <Badge tone="medium">{texts('problem', { message: problemText(problem, texts) })}</Badge>}
      </div>
    </section>
  );
}
