import type { Client } from '../api/client.ts';
import { Deliveries, type Delivery, DeliveryUpdated, EnableMonitor, Redeliver, TestMonitor } from '../api/operations.ts';
import { SHOWN_DELIVERIES, withDelivery } from '../state/deliveries.ts';
import { useAction } from '../state/use-action.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useEvents } from '../state/use-events.ts';
import { useTexts } from '../texts/texts.ts';
import { Age } from '../ui/age.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Link } from '../ui/link.tsx';
import { problemText } from '../ui/problem.ts';
import { companyPath } from '../ui/route.ts';
import { AnswerNotice, NotFollowed } from './answer-notice.tsx';

/** Interval of reading the deliveries while no subscription is open. */
const REFRESH_MS = 5_000;

type Monitor = NonNullable<Deliveries['monitors']>['nodes'][number];

const TONES: Readonly<Record<Delivery['status'], Tone>> = {
  DELIVERED: 'low',
  FAILED: 'high',
  DROPPED: 'medium',
  PENDING: 'none',
  SENDING: 'none',
};
const ENDPOINT_TONES: Readonly<Record<Monitor['endpointState'], Tone>> = { ACTIVE: 'low', FAILING: 'medium', DISABLED: 'high' };

/** The newest webhook deliveries of each monitor: their success rate, their attempts, and a button to send one again. */
export function DeliveriesPage({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const shown = useAnswer(client, Deliveries, { first: SHOWN_DELIVERIES });
  const read = shown.answer?.data?.monitors;
  const onData = ({ deliveryUpdated }: DeliveryUpdated): void => {
    const isNew = read?.nodes.every(({ id }) => id !== deliveryUpdated.monitor.id) && !read.pageInfo.hasNextPage;
    if (isNew) shown.reload();
    else shown.change((data) => withDelivery(data, deliveryUpdated));
  };
  const refused = useEvents(client, DeliveryUpdated, {}, { onData, reload: shown.reload, everyMs: REFRESH_MS });
  const monitors = read?.nodes.filter(({ webhookUrl }) => webhookUrl !== null);
  return (
    <>
      <header>
        <h1>{texts('nav.deliveries')}</h1>
        <p className="quiet">{texts('deliveries.hint')}</p>
      </header>
      <AnswerNotice shown={shown} />
      <NotFollowed error={refused} />
      {monitors?.length === 0 && <p className="panel empty">{texts('deliveries.none')}</p>}
      {monitors?.map((monitor) => (
        <Endpoint key={monitor.id} client={client} monitor={monitor} onChange={shown.reload} />
      ))}
    </>
  );
}

interface EndpointProps {
  readonly client: Client;
  readonly monitor: Monitor;
  readonly onChange: () => void;
}

function Endpoint({ client, monitor: { id, country, webhookUrl, endpointState, deliveries }, onChange }: EndpointProps) {
  const texts = useTexts();
  const test = useAction(client, TestMonitor, onChange);
  const enable = useAction(client, EnableMonitor, onChange);
  const problem = test.problem ?? enable.problem;
  return (
    <section className="panel" aria-label={`${country} ${webhookUrl}`} data-monitor={id}>
      <header className="row spread">
        <div className="row">
          <h2 className="wrapping">{webhookUrl}</h2>
          <Badge tone={ENDPOINT_TONES[endpointState]}>{texts(`endpoint.${endpointState}`)}</Badge>
          <Summary deliveries={deliveries.nodes} />
        </div>
        <div className="row">
          {endpointState === 'DISABLED' && (
            <button type="button" disabled={enable.isBusy} onClick={() => void enable.run({ id })}>
              {texts('deliveries.enable')}
            </button>
          )}
          <button type="button" disabled={test.isBusy} onClick={() => void test.run({ id })}>
            {texts('deliveries.sendTest')}
          </button>
        </div>
      </header>
      {problem && (
        <p className="notice" role="alert">
          {problemText(problem, texts)}
        </p>
      )}
      {deliveries.nodes.length === 0 && <p className="empty">{texts('deliveries.noneYet')}</p>}
      <ul className="deliveries">
        {deliveries.nodes.map((delivery) => (
          <DeliveryRow key={delivery.id} client={client} delivery={delivery} onChange={onChange} />
        ))}
      </ul>
    </section>
  );
}

/**
 * Share of the settled deliveries that arrived, and the 95th percentile of the receiver's latency. It shows nothing before any delivery is
 * settled.
 */
function Summary({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const texts = useTexts();
  const settled = deliveries.filter(({ status }) => status !== 'PENDING' && status !== 'SENDING');
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
  readonly delivery: Delivery;
  readonly onChange: () => void;
}

function DeliveryRow({ client, delivery: { id, status, test, createdAt, change, attempts }, onChange }: RowProps) {
  const texts = useTexts();
  const again = useAction(client, Redeliver, onChange);
  const isSettled = status !== 'PENDING' && status !== 'SENDING';
  return (
    <li>
      <Badge tone={TONES[status]}>{texts(`delivery.${status}`)}</Badge>
      <div>
        {change ? <Link href={companyPath(change.company)}>{change.company.formattedIdentifier}</Link> : test && texts('deliveries.test')}{' '}
        <span className="quiet small">
          <Age at={createdAt} />
        </span>
        <details>
          <summary className="quiet small">{texts('deliveries.attempts', { n: attempts.length })}</summary>
          <ol className="records small">
            {attempts.map(({ number, status: code, error, latencyMs, answer }) => (
              <li key={number}>
                {texts('deliveries.attempt', {
                  number,
                  result: [code, error].filter((one) => one !== null).join(' ') || texts('deliveries.underway'),
                  ms: latencyMs ?? '–',
                })}
                {answer && <pre className="answer">{answer}</pre>}
              </li>
            ))}
          </ol>
        </details>
        {again.problem && (
          <p className="notice small" role="alert">
            {problemText(again.problem, texts)}
          </p>
        )}
      </div>
      <button type="button" disabled={!isSettled || again.isBusy} onClick={() => void again.run({ deliveryId: id })}>
        {texts('deliveries.again')}
      </button>
    </li>
  );
}
