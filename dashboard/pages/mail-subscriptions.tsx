import { type FormEvent, useState } from 'react';
import type { Client } from '../api/client.ts';
import { DeleteMailSubscription, type Language, MailSubscriptions, SaveMailSubscription } from '../api/operations.ts';
import { useMay } from '../state/role.ts';
import { useAction } from '../state/use-action.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useTexts } from '../texts/texts.ts';
import { Ago } from '../ui/age.tsx';
import { Badge } from '../ui/badge.tsx';
import { momentText } from '../ui/date.ts';
import { problemText } from '../ui/problem.ts';
import { Question } from '../ui/question.tsx';
import { AnswerNotice } from './answer-notice.tsx';
import { mailProblemText } from './mail-problem.ts';

type Subscription = NonNullable<MailSubscriptions['mailSubscriptions']>[number];

const MAIL_LANGUAGES: readonly Language[] = ['EN', 'ES', 'PT'];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const DEFAULT_HOUR = 7;

const hourText = (hour: number): string => String(hour).padStart(2, '0');

/** The people who get the changes of the watched companies by mail each morning, and the form that adds one. */
export function MailPeople({ client }: { readonly client: Client }) {
  const texts = useTexts();
  const shown = useAnswer(client, MailSubscriptions, {});
  const mayAdminister = useMay('ADMINISTER');
  const people = shown.answer?.data?.mailSubscriptions;
  return (
    <section className="panel" aria-labelledby="mail-title">
      <header>
        <h2 id="mail-title">{texts('mail.title')}</h2>
        <p className="quiet small">{texts('mail.hint')}</p>
      </header>
      <AnswerNotice shown={shown} />
      {people?.length === 0 && <p className="empty">{texts('mail.none')}</p>}
      {people && people.length > 0 && (
        <ul className="deliveries">
          {people.map((person) => (
            <Person key={person.id} client={client} person={person} onChange={shown.reload} />
          ))}
        </ul>
      )}
      {mayAdminister && people && <NewPerson client={client} onChange={shown.reload} />}
    </section>
  );
}

interface PersonProps {
  readonly client: Client;
  readonly person: Subscription;
  readonly onChange: () => void;
}

function Person({
  client,
  person: { id, email, language, timeZone, hour, confirmedAt, nextAt, lastSentAt, lastError },
  onChange,
}: PersonProps) {
  const texts = useTexts();
  const mayAdminister = useMay('ADMINISTER');
  const remove = useAction(client, DeleteMailSubscription, onChange);
  const [isAsking, setAsking] = useState(false);
  return (
    <li>
      <Badge tone={confirmedAt ? 'low' : 'medium'}>{texts(confirmedAt ? 'mail.confirmed' : 'mail.unconfirmed')}</Badge>
      <div>
        <span className="wrapping">{email}</span>{' '}
        <span className="quiet small">
          {texts(`language.${language}`)} · {texts('mail.at', { hour: hourText(hour), zone: timeZone })}
          {lastSentAt && (
            <>
              {' '}
              · {texts('mail.last')} <Ago at={lastSentAt} />
            </>
          )}
          {nextAt && ` · ${texts('mail.next')} ${momentText(Date.parse(nextAt), texts.language)}`}
        </span>
        {lastError && (
          <p className="notice small">
            {texts('mail.failing', { error: mailProblemText(lastError, texts) })} <code>{lastError}</code>
          </p>
        )}
        {isAsking && (
          <Question
            text={texts('mail.deleteMeans', { email })}
            yes={texts('mail.deleteNow')}
            isBusy={remove.isBusy}
            onYes={() => void remove.run({ id })}
            onNo={() => setAsking(false)}
          />
        )}
        {remove.problem && (
          <p className="notice small" role="alert">
            {problemText(remove.problem, texts)}
          </p>
        )}
      </div>
      {mayAdminister && (
        <button type="button" disabled={remove.isBusy} aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
          {texts('mail.delete', { email })}
        </button>
      )}
    </li>
  );
}

/** Reads the form, whose fields have the names of the variables. */
function settingsIn(form: HTMLFormElement) {
  const given = new FormData(form);
  const language = MAIL_LANGUAGES.find((one) => one === given.get('language')) ?? 'EN';
  return {
    email: String(given.get('email')),
    language,
    timeZone: String(given.get('timeZone')),
    hour: Number(given.get('hour')),
    everyDay: given.get('everyDay') !== null,
  };
}

function NewPerson({ client, onChange }: Omit<PersonProps, 'person'>) {
  const texts = useTexts();
  const [isSaved, setSaved] = useState(false);
  const save = useAction(client, SaveMailSubscription, () => {
    setSaved(true);
    onChange();
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setSaved(false);
    void save.run(settingsIn(event.currentTarget));
  };
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <form className="body column" onSubmit={submit}>
      <div className="row">
        <label className="column">
          {texts('mail.email')}
          <input name="email" type="email" required autoComplete="email" />
        </label>
        <label className="column">
          {texts('mail.language')}
          <select name="language" defaultValue={texts.language.toUpperCase()}>
            {MAIL_LANGUAGES.map((one) => (
              <option key={one} value={one}>
                {texts(`language.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <label className="column">
          {texts('mail.hour')}
          <select name="hour" defaultValue={DEFAULT_HOUR}>
            {HOURS.map((hour) => (
              <option key={hour} value={hour}>
                {hourText(hour)}:00
              </option>
            ))}
          </select>
        </label>
        <label className="column">
          {texts('mail.timeZone')}
          <input name="timeZone" required defaultValue={ownZone} list="time-zones" />
        </label>
        <datalist id="time-zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      <label className="row">
        <input name="everyDay" type="checkbox" /> {texts('mail.everyDay')}
      </label>
      <div className="row">
        <button type="submit" disabled={save.isBusy}>
          {texts('mail.save')}
        </button>
        {isSaved && <span role="status">{texts('mail.saved')}</span>}
      </div>
      {save.problem && (
        <p className="notice" role="alert">
          {problemText(save.problem, texts)}
        </p>
      )}
    </form>
  );
}
