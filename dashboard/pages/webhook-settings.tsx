import { type FormEvent, useState } from 'react';
import type { Client } from '../api/client.ts';
import { API_LANGUAGES } from '../api/languages.ts';
import { ChangeWebhook, type WebhookFormat } from '../api/operations.ts';
import { useAction } from '../state/use-action.ts';
import { FORMATS, formatIn } from '../state/webhook-formats.ts';
import { useTexts } from '../texts/texts.ts';
import { problemText } from '../ui/problem.ts';
import { Question } from '../ui/question.tsx';

interface Props {
  readonly client: Client;
  /** Id of the monitor. */
  readonly id: string;
  readonly url: string;
  readonly format: WebhookFormat;
  readonly onChange: () => void;
}

/** Changes the address and the format of a monitor's webhook, or deletes the webhook after a question. */
export function WebhookSettings({ client, id, url, format, onChange }: Props) {
  const texts = useTexts();
  const change = useAction(client, ChangeWebhook, onChange);
  const [isAsking, setAsking] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const chosen = formatIn(given);
    // The language of a chat stays the one of the person who chose its format.
    const changed = chosen === format ? {} : { format: chosen, language: API_LANGUAGES[texts.language] };
    void change.run({ id, url: String(given.get('url')).trim(), ...changed });
  };
  return (
    <details className="body">
      <summary className="quiet small">{texts('webhook.settings')}</summary>
      <form className="column" onSubmit={submit}>
        <label className="column">
          {texts('webhook.url')}
          <input name="url" type="url" required defaultValue={url} spellCheck={false} />
        </label>
        <label className="column">
          {texts('webhook.format')}
          <select name="format" defaultValue={format}>
            {FORMATS.map((one) => (
              <option key={one} value={one}>
                {texts(`format.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <p className="quiet small">{texts('webhook.formatHint')}</p>
        <div className="row">
          <button type="submit" disabled={change.isBusy}>
            {texts('webhook.change')}
          </button>
          <button type="button" disabled={change.isBusy} aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
            {texts('webhook.remove')}
          </button>
        </div>
        {isAsking && (
          <Question
            text={texts('webhook.removeHint')}
            yes={texts('webhook.removeNow')}
            isBusy={change.isBusy}
            onYes={() => void change.run({ id, url: null })}
            onNo={() => setAsking(false)}
          />
        )}
        {change.problem && (
          <p className="notice" role="alert">
            {problemText(change.problem, texts)}
          </p>
        )}
      </form>
    </details>
  );
}
