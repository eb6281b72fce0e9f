import type { FormEvent } from 'react';
import type { Client } from '../api/client.ts';
import { ChangeWebhook } from '../api/operations.ts';
import { useAction } from '../state/use-action.ts';
import { useTexts } from '../texts/texts.ts';
import { problemText } from '../ui/problem.ts';

interface Props {
  readonly client: Client;
  /** Id of the monitor. */
  readonly id: string;
  readonly url: string;
  readonly onChange: () => void;
}

/** Changes the address of a monitor's webhook, or deletes the webhook. */
export function WebhookSettings({ client, id, url, onChange }: Props) {
  const texts = useTexts();
  const change = useAction(client, ChangeWebhook, onChange);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void change.run({ id, url: String(new FormData(event.currentTarget).get('url')).trim() });
  };
  return (
    <details className="body">
      <summary className="quiet small">{texts('webhook.settings')}</summary>
      <form className="column" onSubmit={submit}>
        <label className="column">
          {texts('webhook.url')}
          <input name="url" type="url" required defaultValue={url} spellCheck={false} />
        </label>
        <div className="row">
          <button type="submit" disabled={change.isBusy}>
            {texts('webhook.change')}
          </button>
          <button type="button" disabled={change.isBusy} onClick={() => void change.run({ id, url: null })}>
            {texts('webhook.remove')}
          </button>
          <span className="quiet small">{texts('webhook.removeHint')}</span>
        </div>
        {change.problem && (
          <p className="notice" role="alert">
            {problemText(change.problem, texts)}
          </p>
        )}
      </form>
    </details>
  );
}
