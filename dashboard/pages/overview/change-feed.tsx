import { memo, useState } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { ChangeField, ChangeRow } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { companyId, type WatchedCompany } from '../../state/model.ts';
import { useStore } from '../../state/store.ts';
import { useTexts } from '../../texts/texts.ts';
import { Age } from '../../ui/age.tsx';
import { ChangedFields } from '../../ui/changed-fields.tsx';
import { Link } from '../../ui/link.tsx';
import { companyPath } from '../../ui/route.ts';
import { NotReadYet } from '../answer-notice.tsx';

const FIELDS: readonly ChangeField[] = [
  'STATUS',
  'SIZE',
  'ACTIVITY',
  'NAME',
  'OWNERS',
  'CAPITAL',
  'ADDRESS',
  'SPECIAL_SITUATION',
  'LAST_RENEWED_YEAR',
  'SANCTIONS',
  'DEBARMENT',
  'LABOR',
  'CONTRACT_FINES',
  'CANDIDATE',
];
/** Age in ms up to which a change is shown as new. */
const NEW_MS = 8_000;

interface Props {
  readonly dashboard: Dashboard;
  readonly companies: ReadonlyMap<string, WatchedCompany>;
}

/** The changes, newest first. A pause freezes the list; changes that arrive meanwhile are counted, and shown when it ends. */
export function ChangeFeed({ dashboard, companies }: Props) {
  const texts = useTexts();
  const changes = useStore(dashboard.store, (state) => state.changes);
  const isRead = useStore(dashboard.store, (state) => state.hasReadChanges);
  const missed = useStore(dashboard.store, (state) => state.missed);
  const hasGap = useStore(dashboard.store, (state) => state.hasGap);
  const [held, hold] = useState<readonly ChangeRow[] | null>(null);
  const [field, setField] = useState<ChangeField | ''>('');
  const [source, setSource] = useState('');
  const sources = [...new Set(changes.map((one) => one.source))].sort();
  const shown = (held ?? changes).filter(
    (change) => (field === '' || change.changedFields.some((one) => one.field === field)) && (source === '' || change.source === source),
  );
  const waiting = held ? changes.findIndex(({ id }) => id === held[0]?.id) : 0;
  return (
    <section className="panel" aria-labelledby="feed-title">
      <header className="row spread">
        <h2 id="feed-title">{texts('feed.title')}</h2>
        <div className="row">
          {held && <span className="badge">{texts('feed.waiting', { n: waiting === -1 ? changes.length : waiting })}</span>}
          <select aria-label={texts('feed.field')} value={field} onChange={({ target }) => setField(target.value as ChangeField | '')}>
            <option value="">{texts('feed.all')}</option>
            {FIELDS.map((one) => (
              <option key={one} value={one}>
                {texts(`field.${one}`)}
              </option>
            ))}
          </select>
          <select aria-label={texts('feed.source')} value={source} onChange={({ target }) => setSource(target.value)}>
            <option value="">{texts('feed.allSources')}</option>
            {sources.map((one) => (
              <option key={one} value={one}>
                {sourceNameIn(one, texts.language)}
              </option>
            ))}
          </select>
          <button type="button" aria-pressed={held !== null} onClick={() => hold(held ? null : changes)}>
            {texts(held ? 'feed.resume' : 'feed.pause')}
          </button>
        </div>
      </header>
      {(missed > 0 || hasGap) && (
        <div className="body">
          <p className="notice row spread">
            <span>
              {missed > 0 && texts('feed.missed', { n: missed })} {hasGap && texts('feed.gap')}
            </span>
            <button type="button" className="plain" onClick={dashboard.dismissMissed}>
              {texts('feed.dismiss')}
            </button>
          </p>
        </div>
      )}
      {shown.length === 0 &&
        (isRead ? (
          <p className="empty">{texts(changes.length > 0 ? 'feed.noMatch' : 'feed.empty')}</p>
        ) : (
          <NotReadYet dashboard={dashboard} />
        ))}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached by keyboard */}
      <ul className="feed" tabIndex={0} aria-label={texts('feed.title')}>
        {shown.map((change) => (
          <FeedRow key={change.observationId} change={change} company={companies.get(companyId(change.company))} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  readonly change: ChangeRow;
  readonly company: WatchedCompany | undefined;
}

const FeedRow = memo(({ change, company }: RowProps) => {
  const [isNew] = useState(() => Date.now() - Date.parse(change.detectedAt) < NEW_MS);
  return (
    <li className={isNew ? 'new' : undefined} data-observation={change.observationId}>
      <span className="quiet small">
        <Age at={change.detectedAt} />
      </span>
      <div>
        <Link href={companyPath(change.company)}>{company?.name ?? change.company.formattedIdentifier}</Link>
        <ChangedFields change={change} />
      </div>
    </li>
  );
});
