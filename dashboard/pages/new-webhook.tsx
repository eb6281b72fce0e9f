import { type FormEvent, useState } from 'react';
import { API_LANGUAGES } from '../api/languages.ts';
import { type Country, CreateWebhook, type WebhookFormat } from '../api/operations.ts';
import type { Dashboard } from '../state/dashboard.ts';
import { splitPasted } from '../state/paste.ts';
import { useStore } from '../state/store.ts';
import { useAction } from '../state/use-action.ts';
import { FORMATS, formatIn } from '../state/webhook-formats.ts';
import { useTexts } from '../texts/texts.ts';
import { problemText } from '../ui/problem.ts';
import { SecretNotice } from './secret-notice.tsx';

const COUNTRIES: readonly Country[] = ['BR', 'CL', 'CO'];
/** Maximum number of companies of a monitor. */
const MAX_COMPANIES = 500;

/** Reads the form, whose fields have the names of the variables. The tax ids are as they were typed. */
function settingsIn(form: HTMLFormElement) {
  const given = new FormData(form);
  return {
    url: String(given.get('url')).trim(),
    country: COUNTRIES.find((one) => one === given.get('country')) ?? 'BR',
    format: formatIn(given),
    listNews: given.get('listNews') !== null,
    recordNews: given.get('recordNews') !== null,
    pasted: splitPasted(String(given.get('identifiers'))),
  };
}

interface Created {
  readonly secret: string;
  readonly format: WebhookFormat;
}

/** The form that creates a monitor with a webhook, and its secret, which is shown once. */
export function NewWebhook({ dashboard, onChange }: { readonly dashboard: Dashboard; readonly onChange: () => void }) {
  const texts = useTexts();
  const companies = useStore(dashboard.store, (state) => state.companies);
  const areAllKnown = useStore(dashboard.store, (state) => state.watched !== null);
  const [created, setCreated] = useState<Created | null>(null);
  const [misfit, setMisfit] = useState<string | null>(null);
  const [format, setFormat] = useState<WebhookFormat>('STANDARD');
  const create = useAction(dashboard.client, CreateWebhook, ({ createMonitor }) => {
    if (createMonitor) setCreated({ secret: createMonitor.secret, format });
    onChange();
  });

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { pasted, ...settings } = settingsIn(event.currentTarget);
    const watched = [...companies.values()].filter(({ country }) => country === settings.country).map(({ identifier }) => identifier);
    const identifiers = pasted.length > 0 ? pasted : watched;
    setCreated(null);
    setMisfit(null);
    // A part of the watched companies must not stand for all of them.
    if (pasted.length === 0 && !areAllKnown) setMisfit(texts('webhook.notRead'));
    else if (identifiers.length === 0) setMisfit(texts('webhook.noCompanies'));
    else if (identifiers.length > MAX_COMPANIES) setMisfit(texts('webhook.tooMany', { n: identifiers.length, most: MAX_COMPANIES }));
    else void create.run({ ...settings, identifiers, language: API_LANGUAGES[texts.language] });
  };

  const problem = misfit ?? (create.problem && problemText(create.problem, texts));
  return (
    <section className="panel" aria-labelledby="new-webhook">
      <header>
        <h2 id="new-webhook">{texts('webhook.create')}</h2>
        <p className="quiet small">{texts('webhook.createHint')}</p>
      </header>
      <form className="body column" onSubmit={submit}>
        <div className="row">
          <label className="column">
            {texts('webhook.url')}
            <input name="url" type="url" required size={40} spellCheck={false} />
          </label>
          <label className="column">
            {texts('webhook.format')}
            <select
              name="format"
              value={format}
              onChange={({ target }) => setFormat(FORMATS.find((one) => one === target.value) ?? 'STANDARD')}
            >
              {FORMATS.map((one) => (
                <option key={one} value={one}>
                  {texts(`format.${one}`)}
                </option>
              ))}
            </select>
          </label>
          <label className="column">
            {texts('webhook.country')}
            <select name="country">
              {COUNTRIES.map((country) => (
                <option key={country} value={country}>
                  {texts(`country.${country}`)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label className="column">
          {texts('webhook.identifiers')}
          <textarea name="identifiers" rows={3} spellCheck={false} />
        </label>
        <label className="row">
          <input name="listNews" type="checkbox" defaultChecked /> {texts('webhook.listNews')}
        </label>
        <label className="row">
          <input name="recordNews" type="checkbox" /> {texts('webhook.recordNews')}
        </label>
        <div className="row">
          <button type="submit" disabled={create.isBusy}>
            {texts('webhook.create')}
          </button>
        </div>
        {problem && (
          <p className="notice" role="alert">
            {problem}
          </p>
        )}
        {created?.format === 'STANDARD' && <SecretNotice text={texts('webhook.created')} secret={created.secret} />}
        {created && created.format !== 'STANDARD' && <p role="status">{texts('webhook.createdChat')}</p>}
      </form>
    </section>
  );
}
