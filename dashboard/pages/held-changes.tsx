import { sourceNameIn } from '../../src/messages/source-names.ts';
import { HeldChanges as HeldChangesQuery } from '../api/operations.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { companyId } from '../state/model.ts';
import { useStore } from '../state/store.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { Countdown, Lasting } from '../ui/age.tsx';
import { Badge } from '../ui/badge.tsx';
import { ChangedFields } from '../ui/changed-fields.tsx';
import { Link } from '../ui/link.tsx';
import { companyPath } from '../ui/route.ts';
import { AnswerNotice } from './answer-notice.tsx';

const REFRESH_MS = 5_000;
/** Number of companies that are shown of a group. */
const SAMPLE = 3;

type Held = NonNullable<HeldChangesQuery['heldChanges']>['nodes'][number];

/** Held changes of the portfolio by source, field and reason, with their number, a sample, and the condition that ends the hold. */
export function HeldChanges({ dashboard }: { readonly dashboard: Dashboard }) {
  const texts = useTexts();
  const shown = useAnswer(dashboard.client, HeldChangesQuery, {}, { everyMs: REFRESH_MS });
  const held = shown.answer?.data?.heldChanges;
  const groups = Map.groupBy(held?.nodes ?? [], ({ source, reason, changedFields }) =>
    [source, reason, ...changedFields.map(({ field }) => field)].join(' '),
  );
  return (
    <section className="panel" aria-labelledby="held-title">
      <header>
        <h2 id="held-title">{texts('held.title')}</h2>
        <p className="quiet small">{texts('held.hint')}</p>
      </header>
      <AnswerNotice shown={shown} />
      {held?.nodes.length === 0 && <p className="empty">{texts('held.none')}</p>}
      <ul className="deliveries">
        {[...groups].map(([key, changes]) => (
          <Group key={key} dashboard={dashboard} changes={changes} isPart={held?.pageInfo.hasNextPage ?? false} />
        ))}
      </ul>
    </section>
  );
}

interface GroupProps {
  readonly dashboard: Dashboard;
  readonly changes: readonly Held[];
  /** True if there are more changes than were read. */
  readonly isPart: boolean;
}

function Group({ dashboard, changes, isPart }: GroupProps) {
  const texts = useTexts();
  const companies = useStore(dashboard.store, (state) => state.companies);
  const [first] = changes.toSorted((a, b) => a.heldAt.localeCompare(b.heldAt));
  if (!first) return null;
  const { source, reason, heldAt, confirmableAt, changedFields } = first;
  const field = changedFields[0]?.field ?? '';
  return (
    <li data-held={source}>
      <Badge tone="medium">{texts(`held.${reason}`)}</Badge>
      <div>
        <p>
          <strong>{sourceNameIn(source, texts.language)}</strong> ·{' '}
          {texts('held.companies', { n: `${changes.length.toLocaleString(texts.language)}${isPart ? '+' : ''}` })} · {texts('held.since')}{' '}
          <Lasting at={heldAt} />
        </p>
        <p className="small">
          {confirmableAt ? (
            <>
              {texts('held.confirm')} <Countdown at={confirmableAt} passed={texts('held.next')} />
            </>
          ) : (
            <>
              {texts('held.decide')} <code>{`quipu monitor release --source ${source.toLowerCase()} --field ${field.toLowerCase()}`}</code>
            </>
          )}
        </p>
        <ul className="records small">
          {changes.slice(0, SAMPLE).map((change) => (
            <li key={change.id}>
              <Link href={companyPath(change.company)}>
                {companies.get(companyId(change.company))?.name ?? change.company.formattedIdentifier}
              </Link>
              <ChangedFields change={change} />
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}
