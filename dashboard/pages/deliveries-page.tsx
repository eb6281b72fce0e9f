import { useState } from 'react';
import type { Client } from '../api/client.ts';
import {
  Deliveries,
  type Delivery,
  DeliveryUpdated,
  EnableMonitor,
  Redeliver,
  RedeliverScreening,
  RotateMonitorSecret,
  RotateScreeningSecret,
  ScreeningDeliveries,
  TestMonitor,
} from '../api/operations.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { SHOWN_DELIVERIES, withDelivery } from '../state/deliveries.ts';
import { useMay } from '../state/role.ts';
import { useStore } from '../state/store.ts';
import { useAction } from '../state/use-action.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useEvents } from '../state/use-events.ts';
import { type Texts, useTexts } from '../texts/texts.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Link } from '../ui/link.tsx';
import { companyPath } from '../ui/route.ts';
import { useCursors } from '../ui/use-cursors.ts';
import { useIsShown } from '../ui/use-is-shown.ts';
import { AnswerNotice, NotFollowed } from './answer-notice.tsx';
import { Endpoint, isSettled } from './endpoint.tsx';
import { MailPeople } from './mail-subscriptions.tsx';
import { NewWebhook } from './new-webhook.tsx';
import { Pager } from './screening/pager.tsx';
import { WebhookSettings } from './webhook-settings.tsx';

/** Interval of reading the deliveries of monitors while no subscription is open, and those of screenings while one is not settled. */
const REFRESH_MS = 5_000;
/** Interval of reading the deliveries of screenings otherwise, because a screening may have ended. */
const REFRESH_SETTLED_MS = 30_000;

type Monitor = NonNullable<Deliveries['monitors']>['nodes'][number];
type Screening = NonNullable<ScreeningDeliveries['screenings']>['nodes'][number];

const ENDPOINT_TONES: Readonly<Record<Monitor['endpointState'], Tone>> = { ACTIVE: 'low', FAILING: 'medium', DISABLED: 'high' };

/** The newest webhook deliveries of each monitor and of the newest screenings, as far as the key has these modules. */
export function DeliveriesPage({ dashboard }: { readonly dashboard: Dashboard }) {
  const { client, store } = dashboard;
  const texts = useTexts();
  const modules = useStore(store, ({ account }) => account?.modules);
  const hasScreenings = modules?.includes('SCREENING') ?? false;
  const hasMonitors = modules?.includes('MONITOR') ?? false;
  return (
    <>
      <header>
        <h1>{texts('nav.deliveries')}</h1>
        <p className="quiet">{texts('deliveries.hint')}</p>
      </header>
      {(hasMonitors || !hasScreenings) && <MonitorDeliveries dashboard={dashboard} />}
      {hasScreenings && <EndOfScreenings client={client} />}
      {hasMonitors && <MailPeople client={client} />}
    </>
  );
}

function MonitorDeliveries({ dashboard }: { readonly dashboard: Dashboard }) {
  const { client } = dashboard;
  const texts = useTexts();
  const cursors = useCursors();
  const isShown = useIsShown();
  const shown = useAnswer(client, Deliveries, { first: SHOWN_DELIVERIES, after: cursors.after });
  const mayAdminister = useMay('ADMINISTER');
  const read = shown.answer?.data?.monitors;
  const isOnlyPage = cursors.after === null && read?.pageInfo.hasNextPage === false;
  const onData = ({ deliveryUpdated }: DeliveryUpdated): void => {
    const isNew = isOnlyPage && read?.nodes.every(({ id }) => id !== deliveryUpdated.monitor.id);
    if (isNew) shown.reload();
    else shown.change((data) => withDelivery(data, deliveryUpdated));
  };
  // A new monitor is on the first page. The address may be that of another page by now.
  const showNewest = (): void => {
    if (!isShown()) return;
    cursors.first();
    shown.reload();
  };
  const refused = useEvents(client, DeliveryUpdated, {}, { onData, reload: shown.reload, poll: shown.poll, everyMs: REFRESH_MS });
  const monitors = read?.nodes.filter(({ webhookUrl }) => webhookUrl !== null);
  return (
    <>
      <AnswerNotice shown={shown} />
      <NotFollowed error={refused} />
      {monitors?.length === 0 && <p className="panel empty">{texts(isOnlyPage ? 'deliveries.none' : 'deliveries.noneHere')}</p>}
      {monitors?.map((monitor) => (
        <MonitorEndpoint key={monitor.id} client={client} monitor={monitor} onChange={shown.reload} />
      ))}
      <Pager cursors={cursors} pageInfo={shown.isCurrent ? read?.pageInfo : undefined} />
      {mayAdminister && <NewWebhook dashboard={dashboard} onChange={showNewest} />}
    </>
  );
}

interface MonitorProps {
  readonly client: Client;
  readonly monitor: Monitor;
  readonly onChange: () => void;
}

function MonitorEndpoint({ client, monitor, onChange }: MonitorProps) {
  const { id, country, webhookUrl, webhookFormat, endpointState, deliveries } = monitor;
  const texts = useTexts();
  const test = useAction(client, TestMonitor, onChange);
  const enable = useAction(client, EnableMonitor, onChange);
  const sendTest = { ...test, text: texts('deliveries.sendTest'), run: () => test.run({ id }) };
  const enableAgain = { ...enable, text: texts('deliveries.enable'), run: () => enable.run({ id }) };
  return (
    <Endpoint
      client={client}
      id={id}
      owner={`${texts('deliveries.ofMonitor', { country: texts(`country.${country}`) })} · ${texts(`format.${webhookFormat}`)}`}
      url={webhookUrl ?? ''}
      badge={<Badge tone={ENDPOINT_TONES[endpointState]}>{texts(`endpoint.${endpointState}`)}</Badge>}
      actions={endpointState === 'DISABLED' ? [enableAgain, sendTest] : [sendTest]}
      deliveries={deliveries.nodes}
      none={texts('deliveries.noneYet')}
      rotate={RotateMonitorSecret}
      again={(delivery) => ({ operation: Redeliver, id: delivery.id })}
      subject={(delivery) => changeOf(delivery, texts)}
      onChange={onChange}
    >
      <WebhookSettings client={client} id={id} url={webhookUrl ?? ''} format={webhookFormat} onChange={onChange} />
    </Endpoint>
  );
}

const changeOf = ({ change, test }: Delivery, texts: Texts) =>
  change ? <Link href={companyPath(change.company)}>{change.company.formattedIdentifier}</Link> : test && texts('deliveries.test');

/**
 * The webhooks of screenings. They are read by query, because no subscription reports their deliveries: often while one is on its way, and
 * seldom otherwise.
 */
function EndOfScreenings({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const [everyMs, setEveryMs] = useState(REFRESH_MS);
  const shown = useAnswer(client, ScreeningDeliveries, {}, { everyMs });
  const screenings = shown.answer?.data?.screenings?.nodes.filter(({ webhookUrl }) => webhookUrl !== null);
  const isUnderWay = screenings?.some(({ deliveries }) => !deliveries.every(isSettled)) ?? true;
  const wantedMs = isUnderWay ? REFRESH_MS : REFRESH_SETTLED_MS;
  if (wantedMs !== everyMs) setEveryMs(wantedMs);
  return (
    <>
      <AnswerNotice shown={shown} />
      {screenings?.length === 0 && <p className="panel empty">{texts('deliveries.noScreening')}</p>}
      {screenings?.map((screening) => (
        <ScreeningEndpoint key={screening.id} client={client} screening={screening} onChange={shown.reload} />
      ))}
    </>
  );
}

interface ScreeningProps {
  readonly client: Client;
  readonly screening: Screening;
  readonly onChange: () => void;
}

const NONE = {
  QUEUED: 'deliveries.beforeEnd',
  RUNNING: 'deliveries.beforeEnd',
  DONE: 'deliveries.notKept',
  CANCELLED: 'deliveries.cancelled',
} as const;

function ScreeningEndpoint({ client, screening: { id, name, state, webhookUrl, deliveries }, onChange }: ScreeningProps) {
  const texts = useTexts();
  const publish = useAction(client, RedeliverScreening, onChange);
  const publishAgain = { ...publish, text: texts('deliveries.again'), run: () => publish.run({ id }) };
  return (
    <Endpoint
      client={client}
      id={id}
      owner={texts('deliveries.ofScreening', { name: name ?? id })}
      url={webhookUrl ?? ''}
      badge={null}
      actions={state === 'DONE' && deliveries.length === 0 ? [publishAgain] : []}
      deliveries={deliveries}
      none={texts(NONE[state])}
      rotate={RotateScreeningSecret}
      again={() => ({ operation: RedeliverScreening, id })}
      subject={() => texts('deliveries.end')}
      onChange={onChange}
    />
  );
}
