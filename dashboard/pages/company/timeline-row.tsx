import { type ReactNode, useState } from 'react';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Client } from '../../api/client.ts';
import { download } from '../../api/download.ts';
import { DeleteCompanyNote, type Note } from '../../api/operations.ts';
import { useMay } from '../../state/role.ts';
import { type TimelineEvent, totalsOf } from '../../state/timeline.ts';
import { useAction } from '../../state/use-action.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { Age } from '../../ui/age.tsx';
import { RiskBadge } from '../../ui/badge.tsx';
import { ChangedFields } from '../../ui/changed-fields.tsx';
import { dateText } from '../../ui/date.ts';
import { peopleOf } from '../../ui/people.ts';
import { problemText } from '../../ui/problem.ts';
import { Question } from '../../ui/question.tsx';
import { WorkButton } from '../work-button.tsx';
import { amountText } from './findings-table.tsx';

interface Props {
  readonly client: Client;
  readonly event: TimelineEvent;
  /** Called with the id of a note that was deleted. */
  readonly onDeleted: (id: string) => void;
}

/** One event: its day or its age, its kind, and what it is. */
export function TimelineRow({ client, event, onDeleted }: Props) {
  const texts = useTexts();
  const isDay = event.at.length === 'yyyy-mm-dd'.length;
  return (
    <li data-event={event.kind}>
      <span className="quiet small">{isDay ? dateText(event.at, texts.language) : <Age at={event.at} />}</span>
      <div>
        <span className="quiet small">{texts(`timeline.${event.kind}`)}</span>
        <Content client={client} event={event} onDeleted={onDeleted} texts={texts} />
      </div>
    </li>
  );
}

function Content({ client, event, onDeleted, texts }: Props & { readonly texts: Texts }): ReactNode {
  switch (event.kind) {
    case 'verdict': {
      const { id, verdict, completeness } = event.receipt;
      const save = (): Promise<void> => download(client, `/v1/evidence/${id}?format=pdf&language=${texts.language}`, `${id}.pdf`);
      return (
        <div className="row">
          <RiskBadge verdict={{ riskLevel: verdict, completeness }} />
          <WorkButton text={texts('timeline.receipt')} work={save} />
        </div>
      );
    }
    case 'change':
      return <ChangedFields change={event.change} />;
    case 'registry': {
      const { field, before, after, extractFrom, partner } = event.change;
      const valueText = (value: string | null): string => registryValue(field, value, texts);
      return (
        <div className="what">
          <span className="quiet">{texts(`history.field.${field}`)}</span>
          <span>
            {field === 'PARTNER_SHARE' && partner && `${partner.name || texts('owners.NATURAL_PERSONS')}: `}
            <del>{valueText(before)}</del> <span aria-hidden="true">→</span> <span className="hidden">{texts('feed.to')}</span>{' '}
            <ins>{valueText(after)}</ins>
          </span>
          <span className="quiet small">{texts('history.since', { date: dateText(extractFrom, texts.language) })}</span>
        </div>
      );
    }
    case 'entry': {
      const { check, list, what, body, amount } = event.finding;
      const parts = [sourceNameIn(list, texts.language), what, body, amount && amountText(amount, texts)].filter(Boolean);
      return (
        <div>
          {check !== 'CONTRACT_FINES' && texts(event.isEnd ? 'timeline.entryEnded' : 'timeline.entryBegan')} {parts.join(' · ')}
        </div>
      );
    }
    case 'orders':
      return (
        <div>
          {texts('tenders.inYear', { year: event.year, n: event.orders.length })} · {totalsOf(event.orders, texts.language).join(' · ')}
        </div>
      );
    case 'decision':
      return (
        <div>
          {event.ownerName !== null && `${texts('timeline.ofOwner', { name: event.ownerName })} `}
          <strong>{event.entryName}</strong> ({sourceNameIn(event.list, texts.language)}){' '}
          {texts(`timeline.${event.outcome}`, { reason: event.reason })}{' '}
          <span className="quiet small">{peopleOf(event.people, texts)}</span>
        </div>
      );
    case 'note':
      return <NoteText client={client} note={event.note} onDeleted={onDeleted} />;
  }
}

/** Returns the text of a value of a registry. A share that is not known is not none. */
function registryValue(field: string, value: string | null, texts: Texts): string {
  if (field !== 'PARTNER_SHARE') return value ?? texts('feed.none');
  return value === null
    ? texts('history.shareUnknown')
    : (Number(value) / 100).toLocaleString(texts.language, { style: 'percent', maximumFractionDigits: 2 });
}

/** A note with the key that wrote it, and the button that deletes it after a question. */
function NoteText({ client, note, onDeleted }: Pick<Props, 'client' | 'onDeleted'> & { readonly note: Note }) {
  const texts = useTexts();
  const mayDelete = useMay('DECIDE');
  const remove = useAction(client, DeleteCompanyNote, () => onDeleted(note.id));
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <p className="wrapping">{note.text}</p>
      <div className="row">
        <span className="quiet small">{texts('note.by', { name: note.writtenByName, key: note.writtenBy.slice(0, 8) })}</span>
        {mayDelete && (
          <button type="button" disabled={remove.isBusy} aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
            {texts('note.delete')}
          </button>
        )}
      </div>
      {isAsking && (
        <Question
          text={texts('note.deleteMeans')}
          yes={texts('note.deleteNow')}
          isBusy={remove.isBusy}
          onYes={() => void remove.run({ id: note.id })}
          onNo={() => setAsking(false)}
        />
      )}
      {remove.problem && (
        <p className="notice small" role="alert">
          {problemText(remove.problem, texts)}
        </p>
      )}
    </>
  );
}
