import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { CancelScreening, type Screening, ScreeningProgress } from '../../api/operations.ts';
import { useMay } from '../../state/role.ts';
import { saveResults } from '../../state/screening-files.ts';
import { useAction } from '../../state/use-action.ts';
import type { Shown } from '../../state/use-answer.ts';
import { useEvents } from '../../state/use-events.ts';
import { useTexts } from '../../texts/texts.ts';
import { Ago } from '../../ui/age.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { useDelimiter } from '../../ui/delimiter.ts';
import { Link } from '../../ui/link.tsx';
import { problemText } from '../../ui/problem.ts';
import { Question } from '../../ui/question.tsx';
import { screeningPath } from '../../ui/route.ts';
import { NotFollowed } from '../answer-notice.tsx';
import { DelimiterChoice } from '../delimiter-choice.tsx';
import { WorkButton } from '../work-button.tsx';

/** Interval of reading the screenings while the subscription of one is not open. */
const REFRESH_MS = 2_000;
/**
 * Maximum number of screenings with a subscription, the newest ones. A browser opens six connections to a server, and an event stream uses
 * one.
 */
const MAX_FOLLOWED = 3;

const TONES: Readonly<Record<Screening['state'], Tone>> = { QUEUED: 'none', RUNNING: 'medium', DONE: 'low', CANCELLED: 'none' };

export const isUnderWay = ({ state }: Pick<Screening, 'state'>): boolean => state === 'QUEUED' || state === 'RUNNING';

/** True if a company has no answer, or a verdict that lacks a source. */
const isIncomplete = ({ failed, partial, insufficient }: Screening): boolean =>
  failed > 0 || partial.nodes.length > 0 || insufficient.nodes.length > 0;

interface ListProps {
  readonly client: Client;
  readonly screenings: readonly Screening[];
  readonly onProgress: (screening: Screening) => void;
  /** The answer with the screenings, which is read again after a change, and while no subscription reports one. */
  readonly shown: Pick<Shown<unknown>, 'reload' | 'poll'>;
}

/** Screenings with their progress, of which the newest running ones are followed by subscription. */
export function ScreeningList({ client, screenings, onProgress, shown }: ListProps) {
  const followed = screenings.filter(isUnderWay).slice(0, MAX_FOLLOWED);
  return (
    <ul className="deliveries">
      {screenings.map((screening) => (
        <ScreeningRow
          key={screening.id}
          client={client}
          screening={screening}
          isFollowed={followed.includes(screening)}
          onProgress={onProgress}
          shown={shown}
        />
      ))}
    </ul>
  );
}

interface RowProps extends Pick<ListProps, 'client' | 'onProgress' | 'shown'> {
  readonly screening: Screening;
  readonly isFollowed: boolean;
}

function ScreeningRow({ client, screening, isFollowed, onProgress, shown: { reload, poll } }: RowProps) {
  const { id, name, state, createdAt, total, done, failed, invalid, duplicates } = screening;
  const texts = useTexts();
  const events = { onData: (data: ScreeningProgress) => onProgress(data.screeningProgress), reload, poll, everyMs: REFRESH_MS };
  const refused = useEvents(client, ScreeningProgress, isFollowed ? { id } : null, events);
  const mayCancel = useMay('DECIDE');
  const cancel = useAction(client, CancelScreening, reload);
  const [isAsking, setAsking] = useState(false);
  const incomplete = isIncomplete(screening);
  const delimiter = useDelimiter();
  const progress = texts('screening.progress', { done, n: total });
  return (
    <li data-screening={state}>
      <Badge tone={incomplete && state === 'DONE' ? 'medium' : TONES[state]}>{texts(`screening.${state}`)}</Badge>
      <div>
        <p className="row">
          <Link href={screeningPath(id)}>
            <strong>{name ?? id}</strong>
          </Link>
          <progress max={Math.max(total, 1)} value={done + failed} aria-label={progress} />
          <span className="small">{progress}</span>
        </p>
        <p className="quiet small">
          <Ago at={createdAt} /> · {texts('screening.rejected', { failed, invalid, duplicates })}
        </p>
        <NotFollowed error={refused} />
        {incomplete && <p className="small">{texts('screening.incomplete')}</p>}
        {isAsking && isUnderWay(screening) && (
          <Question
            text={texts('screening.cancelMeans')}
            yes={texts('screening.cancelNow')}
            isBusy={cancel.isBusy}
            onYes={() => void cancel.run({ id })}
            onNo={() => setAsking(false)}
          />
        )}
        {cancel.problem && (
          <p className="notice small" role="alert">
            {problemText(cancel.problem, texts)}
          </p>
        )}
      </div>
      {isUnderWay(screening) ? (
        <button type="button" disabled={cancel.isBusy || !mayCancel} aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
          {texts('screening.cancel')}
        </button>
      ) : (
        <div className="row">
          <WorkButton text={texts('screening.download')} work={() => saveResults(client, id, texts.language, delimiter)} />
          <DelimiterChoice />
          <WorkButton text={texts('screening.workbook')} work={() => saveResults(client, id, texts.language, null)} />
        </div>
      )}
    </li>
  );
}
