import { useState } from 'react';
import { useTexts } from '../texts/texts.ts';

/** A secret that is shown once, with a button that copies it. */
export function SecretNotice({ text, secret }: { readonly text: string; readonly secret: string }) {
  const texts = useTexts();
  const [state, setState] = useState<'copied' | 'refused' | null>(null);
  const copy = (): void =>
    void navigator.clipboard.writeText(secret).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  return (
    <div className="notice column" role="status">
      <p>{text}</p>
      <div className="row">
        <code className="wrapping">{secret}</code>
        {/* Browsers offer the clipboard to pages over TLS and on localhost only. */}
        <button type="button" onClick={() => (navigator.clipboard ? copy() : setState('refused'))}>
          {texts('webhook.copy')}
        </button>
      </div>
      {state && <p>{texts(state === 'copied' ? 'webhook.copied' : 'webhook.notCopied')}</p>}
    </div>
  );
}
