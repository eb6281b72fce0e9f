import { type ReactNode, useState } from 'react';
import type { Client } from '../api/client.ts';
import type { Attempt, Operation, RotateMonitorSecret, ScreeningDelivery } from '../api/operations.ts';
import { useMay } from '../state/role.ts';
import { type Action, useAction } from '../state/use-action.ts';
import { isTextKey, type Texts, useTexts } from '../texts/texts.ts';
import { Ago, Countdown } from '../ui/age.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { momentText } from '../ui/date.ts';
import { problemText } from '../ui/problem.ts';
import { SecretNotice } from './secret-notice.tsx';

/** A mutation of the thing with an id. */
type ById<Data = unknown> = Operation<Data, { readonly id: string }>;
/** A new secret, with the time until which the one before it signs as well; null beside an error. */
type Rotation = Pick<RotateMonitorSecret, 'rotated'>;

/** A delivery of any endpoint. */
type Sent = ScreeningDelivery;

const TONES: Readonly<Record<Sent['status'], Tone>> = {
  DELIVERED: 'low',
  FAILED: 'high',
  DROPPED: 'medium',
  PENDING: 'none',
  SENDING: 'none',
};

export const isSettled = ({ status }: Sent): boolean => status !== 'PENDING' && status !== 'SENDING';

/** A button above the deliveries of an endpoint. */
export interface EndpointAction extends Pick<Action<{ readonly id: string }>, 'isBusy' | 'problem'> {
  readonly text: string;
  readonly run: () => Promise<void>;
}

interface EndpointProps<D extends Sent> {
  readonly client: Client;
  /** Public id of its owner: a monitor or a screening. */
  readonly id: string;
  /** Name of its owner, for readers. */
  readonly owner: string;
  readonly url: string;
  /** State of the endpoint; null if the API has none. */
  readonly badge: ReactNode;
  readonly actions: readonly EndpointAction[];
  /** The newest first. */
  readonly deliveries: readonly D[];
  /** Sentence that stands in place of the deliveries if there are none. */
  readonly none: string;
  readonly rotate: ById<Rotation>;
  /** The mutation that sends a delivery again, and the id that it takes. */
  readonly again: (delivery: D) => { readonly operation: ById; readonly id: string };
  /** Text about the event of a delivery. */
  readonly subject: (delivery: D) => ReactNode;
  /** Reads the endpoint again. */
  readonly onChange: () => void;
  /** Settings of the endpoint; absent if it has none. */
  readonly children?: ReactNode;
}

/** The webhook endpoint of a monitor or of a screening: its secret, its newest deliveries and their attempts. */
export function Endpoint<D extends Sent>(props: EndpointProps<D>) {
  const { client, id, owner, url, badge, actions, deliveries, none, rotate, again, subject, onChange, children } = props;
  const texts = useTexts();
  const [rotated, setRotated] = useState<Rotation['rotated']>(null);
  const mayAdminister = useMay('ADMINISTER');
  const rotation = useAction(client, rotate, (data) => setRotated(data.rotated));
  const problem = [rotation, ...actions].find((one) => one.problem)?.problem;
  return (
    <section className="panel" aria-label={`${owner}: ${url}`} data-endpoint={id}>
      <header className="row spread">
        <div>
          <div className="row">
            <h2 className="wrapping">{url}</h2>
            {badge}
            <Summary deliveries={deliveries} />
          </div>
          <p className="quiet small">{owner}</p>
        </div>
        {mayAdminister && (
          <div className="row">
            {actions.map(({ text, isBusy, run }) => (
              <button key={text} type="button" disabled={isBusy} onClick={() => void run()}>
                {text}
              </button>
            ))}
            <button type="button" disabled={rotation.isBusy} onClick={() => void rotation.run({ id })}>
              {texts('deliveries.rotate')}
            </button>
          </div>
        )}
      </header>
      {problem && (
        <p className="notice" role="alert">
          {problemText(problem, texts)}
        </p>
      )}
      {rotated && (
        <SecretNotice
          text={texts('deliveries.rotated', { until: momentText(Date.parse(rotated.oldSecretValidUntil), texts.language) })}
          secret={rotated.secret}
        />
      )}
      {mayAdminister && children}
      {deliveries.length === 0 && <p className="empty">{none}</p>}
      <ul className="deliveries">
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} client={client} delivery={delivery} again={again(delivery)} onChange={onChange}>
            {subject(delivery)}
          </DeliveryRow>
        ))}
      </ul>
    </section>
  );
}

/**
 * Share of the settled deliveries that arrived, and the 95th percentile of the receiver's latency. It shows nothing before any delivery is
 * settled.
 */
function Summary({ deliveries }: { readonly deliveries: readonly Sent[] }) {
  const texts = useTexts();
  const settled = deliveries.filter(isSettled);
  const latencies = deliveries.flatMap(({ attempts }) => attempts.flatMap(({ latencyMs }) => latencyMs ?? [])).sort((a, b) => a - b);
  const p95 = latencies[Math.ceil(latencies.length * 0.95) - 1];
  if (settled.length === 0) return null;
  const share = settled.filter(({ status }) => status === 'DELIVERED').length / settled.length;
  const percent = share.toLocaleString(texts.language, { style: 'percent' });
  return (
    <span className="quiet small">
      {texts('deliveries.rate', { percent, n: settled.length })}
      {p95 !== undefined && ` · ${texts('deliveries.p95', { n: p95 })}`}
    </span>
  );
}

interface RowProps {
  readonly client: Client;
  readonly delivery: Sent;
  readonly again: { readonly operation: ById; readonly id: string };
  readonly onChange: () => void;
  /** Text about its event. */
  readonly children: ReactNode;
}

function DeliveryRow({ client, delivery, again: { operation, id }, onChange, children }: RowProps) {
  const { status, createdAt, nextAttemptAt, attempts } = delivery;
  const texts = useTexts();
  const mayAdminister = useMay('ADMINISTER');
  const again = useAction(client, operation, onChange);
  return (
    <li>
      <Badge tone={TONES[status]}>{texts(`delivery.${status}`)}</Badge>
      <div>
        {children}{' '}
        <span className="quiet small">
          <Ago at={createdAt} />
          {status === 'PENDING' && nextAttemptAt && (
            <>
              {' '}
              · {texts('deliveries.next')} <Countdown at={nextAttemptAt} passed={texts('deliveries.nextNow')} />
            </>
          )}
        </span>
        <details>
          <summary className="quiet small">{texts('deliveries.attempts', { n: attempts.length })}</summary>
          <ol className="records small">
            {attempts.map((attempt) => (
              <AttemptItem key={attempt.number} attempt={attempt} />
            ))}
          </ol>
        </details>
        {again.problem && (
          <p className="notice small" role="alert">
            {problemText(again.problem, texts)}
          </p>
        )}
      </div>
      <button type="button" disabled={!mayAdminister || !isSettled(delivery) || again.isBusy} onClick={() => void again.run({ id })}>
        {texts('deliveries.again')}
      </button>
    </li>
  );
}

function AttemptItem({ attempt: { number, startedAt, status, error, latencyMs, answer } }: { readonly attempt: Attempt }) {
  const texts = useTexts();
  const reason = error && reasonOf(error, texts);
  return (
    <li>
      {texts('deliveries.attempt', { number, result: resultOf(status, error, texts), ms: latencyMs ?? '–' })}{' '}
      <span className="quiet">
        <Ago at={startedAt} />
      </span>
      {reason && <p>{reason}</p>}
      {answer && <pre className="answer">{answer}</pre>}
    </li>
  );
}

/** Returns the HTTP status of an attempt, or that there was no answer. An error of a newer server, which has no sentence, is its code. */
function resultOf(status: number | null, error: string | null, texts: Texts): string {
  const result = status ?? texts(error === null ? 'deliveries.underway' : 'check.failed');
  return error === null || reasonOf(error, texts) !== null ? String(result) : `${result} ${error}`;
}

/** Returns the sentence about a failed attempt; null for an error of a newer server. */
function reasonOf(error: string, texts: Texts): string | null {
  const key = `attempt.${error}`;
  return isTextKey(key) ? texts(key) : null;
}
