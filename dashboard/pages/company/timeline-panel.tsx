import { useState } from 'react';
import type { QuipuError } from '../../../clients/typescript/src/error.ts';
import { type Candidate, type ChangeRow, CompanyRecords, type Note, type RegistryChange } from '../../api/operations.ts';
import type { Dashboard } from '../../state/dashboard.ts';
import { findingsOf } from '../../state/findings.ts';
import type { ShownCompany } from '../../state/model.ts';
import type { ShownOwner } from '../../state/owner-decisions.ts';
import { useMay } from '../../state/role.ts';
import { useStore } from '../../state/store.ts';
import { isPart, KINDS, type Order, type TimelineEvent, timelineOf, unreadPart } from '../../state/timeline.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTexts } from '../../texts/texts.ts';
import { problemText } from '../../ui/problem.ts';
import { RetryNotice } from '../../ui/retry-notice.tsx';
import { SkeletonLines } from '../../ui/skeleton.tsx';
import { NoteForm } from './note-form.tsx';
import { RegistryHistory } from './registry-history.tsx';
import { TimelineRow } from './timeline-row.tsx';

interface Props {
  readonly dashboard: Dashboard;
  readonly company: ShownCompany;
  /** Error of its changes; null if they were read. */
  readonly changesError: QuipuError | null;
  /** Number of receipts that were issued on this page. What the account stored is read again when it changes, which counts nothing. */
  readonly issued: number;
  /** Reads the company again. */
  readonly onReload: () => void;
  /** Candidates with the decisions of the account, those of this page included. */
  readonly candidates: readonly Candidate[];
  /** Owners, whose candidates have the decisions, too. */
  readonly owners: readonly ShownOwner[];
  /** Public orders, if the person has read them. */
  readonly orders: readonly Order[];
}

type Records = NonNullable<CompanyRecords['company']>;

/** The events of a company and the decisions of people about it, newest first, and the form for a note. */
export function TimelinePanel({
  dashboard: { client, store },
  company,
  changesError,
  issued,
  onReload,
  candidates,
  owners,
  orders,
}: Props) {
  const texts = useTexts();
  const { country, identifier } = company;
  const records = useAnswer(client, CompanyRecords, { country, identifier }, { version: String(issued) });
  const hasHistory = useStore(store, (state) => country !== 'CO' && (state.account?.modules.includes('KYB') ?? false));
  const [registry, setRegistry] = useState<readonly RegistryChange[]>([]);
  const [kind, setKind] = useState<TimelineEvent['kind'] | ''>('');
  const stored = records.answer?.data?.company ?? null;
  const changeNotes = (change: (notes: readonly Note[]) => readonly Note[]): void =>
    records.change((data) => ({ ...data, company: data.company && withNotes(data.company, change) }));
  const mayWrite = useMay('DECIDE');
  const recordsError = unreadPart([records.problem, ...(records.answer?.errors ?? [])]);
  const unread = recordsError ?? unreadPart([changesError]);
  const events = timelineOf({
    receipts: stored?.receipts?.nodes ?? [],
    changes: changesOf(company),
    registry,
    findings: findingsOf(company),
    orders,
    candidates,
    owners,
    notes: stored?.notes?.nodes ?? [],
  });
  const shown = events.filter((event) => kind === '' || event.kind === kind);
  return (
    <section className="panel timeline" aria-labelledby="timeline-title">
      <header className="row spread">
        <h2 id="timeline-title">{texts('timeline.title')}</h2>
        <select aria-label={texts('timeline.kind')} value={kind} onChange={({ target }) => setKind(target.value as typeof kind)}>
          <option value="">{texts('timeline.all')}</option>
          {KINDS.filter((one) => events.some((event) => event.kind === one)).map((one) => (
            <option key={one} value={one}>
              {texts(`timeline.${one}`)}
            </option>
          ))}
        </select>
      </header>
      <div className="body column">
        {unread && (
          <RetryNotice onRetry={recordsError ? records.reload : onReload}>
            {texts('timeline.unread', { message: problemText(unread, texts) })}
          </RetryNotice>
        )}
        {mayWrite && stored?.notes && (
          <NoteForm client={client} company={company} onAdded={(note) => changeNotes((notes) => [note, ...notes])} />
        )}
        {hasHistory && <RegistryHistory client={client} country={country} identifier={identifier} onRead={setRegistry} />}
      </div>
      {shown.length === 0 && !unread && (records.answer ? <p className="empty">{texts('company.noHistory')}</p> : <SkeletonLines />)}
      <ol className="feed">
        {shown.map((event) => (
          <TimelineRow
            key={event.id}
            client={client}
            event={event}
            onDeleted={(id) => changeNotes((notes) => notes.filter((note) => note.id !== id))}
          />
        ))}
      </ol>
      {isPart([stored?.receipts, stored?.notes, company.changes]) && <p className="empty">{texts('timeline.older')}</p>}
    </section>
  );
}

const changesOf = ({ changes }: ShownCompany): readonly ChangeRow[] => changes?.nodes ?? [];

const withNotes = (company: Records, change: (notes: readonly Note[]) => readonly Note[]): Records => ({
  ...company,
  notes: company.notes && { ...company.notes, nodes: change(company.notes.nodes) },
});
