import { useState } from 'react';
import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { type Client, problemOf } from '../api/client.ts';
import { download } from '../api/download.ts';
import { CancelScreening, type Screening, ScreeningProgress, Screenings as ScreeningsQuery, StartScreening } from '../api/operations.ts';
import { useMay } from '../state/role.ts';
import { useAction } from '../state/use-action.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useEvents } from '../state/use-events.ts';
import { useTexts } from '../texts/texts.ts';
import { Age } from '../ui/age.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { momentText } from '../ui/date.ts';
import { problemText } from '../ui/problem.ts';
import { AnswerNotice, NotFollowed } from './answer-notice.tsx';

/** Interval of reading the screenings while the subscription of one is not open. */
const REFRESH_MS = 2_000;
/** Interval at which the screenings are always read, because no event reports one that was started elsewhere. */
const REFRESH_LIST_MS = 30_000;
/**
 * Maximum number of screenings with a subscription, the newest ones. A browser opens six connections to a server, and an event stream uses
 * one.
 */
const MAX_FOLLOWED = 3;

const TONES: Readonly<Record<Screening['state'], Tone>> = { QUEUED: 'none', RUNNING: 'medium', DONE: 'low', CANCELLED: 'none' };

/** True if a company has no answer, or a verdict that lacks a source. */
const isIncomplete = ({ failed, partial, insufficient }: Screening): boolean =>
  failed > 0 || partial.nodes.length > 0 || insufficient.nodes.length > 0;

interface Props {
  readonly client: Client;
  /** Tax ids that a new screening would check. */
  readonly identifiers: readonly string[];
}

/**
 * Checks companies once in the background. It starts a screening of the pasted companies, and shows the newest screenings with their
 * progress and results.
 */
export function Screenings({ client, identifiers }: Props) {
  const texts = useTexts();
  const shown = useAnswer(client, ScreeningsQuery, {}, { everyMs: REFRESH_LIST_MS });
  const mayStart = useMay('DECIDE');
  const start = useAction(client, StartScreening, shown.reload);
  const screenings = shown.answer?.data?.screenings?.nodes;
  const followed = screenings?.filter(isUnderWay).slice(0, MAX_FOLLOWED);
  const show = ({ screeningProgress }: ScreeningProgress): void =>
    shown.change(({ screenings: before }) => ({
      screenings: before && { nodes: before.nodes.map((one) => (one.id === screeningProgress.id ? screeningProgress : one)) },
    }));
  const run = (): void => {
    const name = momentText(Date.now(), texts.language);
    void start.run({ identifiers, name });
  };
  return (
    <section className="panel" aria-labelledby="screenings-title">
      <header>
        <h2 id="screenings-title">{texts('screening.title')}</h2>
        <p className="quiet small">{texts('screening.hint')}</p>
      </header>
      {identifiers.length > 0 && mayStart && (
        <p className="body">
          <button type="button" disabled={start.isBusy} onClick={run}>
            {texts('screening.start', { n: identifiers.length })}
          </button>
        </p>
      )}
      {start.problem && (
        <p className="notice" role="alert">
          {problemText(start.problem, texts)}
        </p>
      )}
      <AnswerNotice shown={shown} />
      {screenings?.length === 0 && <p className="empty">{texts('screening.none')}</p>}
      <ul className="deliveries">
        {screenings?.map((screening) => (
          <ScreeningRow
            key={screening.id}
            client={client}
            screening={screening}
            isFollowed={followed?.includes(screening) ?? false}
            onProgress={show}
            onChange={shown.reload}
          />
        ))}
      </ul>
    </section>
  );
}

const isUnderWay = ({ state }: Screening): boolean => state === 'QUEUED' || state === 'RUNNING';

interface RowProps {
  readonly client: Client;
  readonly screening: Screening;
  readonly isFollowed: boolean;
  readonly onProgress: (progress: ScreeningProgress) => void;
  /** Reads the screenings again. */
  readonly onChange: () => void;
}

function ScreeningRow({ client, screening, isFollowed, onProgress, onChange }: RowProps) {
  const { id, name, state, createdAt, total, done, failed, invalid, duplicates } = screening;
  const texts = useTexts();
  const events = { onData: onProgress, reload: onChange, everyMs: REFRESH_MS };
  const refused = useEvents(client, ScreeningProgress, isFollowed ? { id } : null, events);
  const mayCancel = useMay('DECIDE');
  const cancel = useAction(client, CancelScreening, onChange);
  const [problem, setProblem] = useState<QuipuError | null>(null);
  const incomplete = isIncomplete(screening);
  const progress = texts('screening.progress', { done, n: total });
  const save = (): Promise<void> =>
    download(client, `/v1/screenings/${id}/results.csv`, `${id}.csv`).then(
      () => setProblem(null),
      (error: unknown) => setProblem(problemOf(error)),
    );
  const shownProblem = cancel.problem ?? problem;
  return (
    <li data-screening={state}>
      <Badge tone={incomplete && state === 'DONE' ? 'medium' : TONES[state]}>{texts(`screening.${state}`)}</Badge>
      <div>
        <p className="row">
          <strong>{name ?? id}</strong>
          <progress max={Math.max(total, 1)} value={done + failed} aria-label={progress} />
          <span className="small">{progress}</span>
        </p>
        <p className="quiet small">
          <Age at={createdAt} /> · {texts('screening.rejected', { failed, invalid, duplicates })}
        </p>
        <NotFollowed error={refused} />
        {incomplete && <p className="small">{texts('screening.incomplete')}</p>}
        {shownProblem && (
          <p className="notice small" role="alert">
            {problemText(shownProblem, texts)}
          </p>
        )}
      </div>
      {isUnderWay(screening) ? (
        <button type="button" disabled={cancel.isBusy || !mayCancel} onClick={() => void cancel.run({ id })}>
          {texts('screening.cancel')}
        </button>
      ) : (
        <button type="button" onClick={() => void save()}>
          {texts('screening.download')}
        </button>
      )}
    </li>
  );
}
