import { type FormEvent, useRef } from 'react';
import type { Client } from '../../api/client.ts';
import { AddCompanyNote, type Note } from '../../api/operations.ts';
import type { ShownCompany } from '../../state/model.ts';
import { useAction } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { problemText } from '../../ui/problem.ts';

const MAX_NOTE = 2_000;

interface Props {
  readonly client: Client;
  readonly company: ShownCompany;
  readonly onAdded: (note: Note) => void;
}

/** Writes a note about the company, which all keys of the account with the module can read. */
export function NoteForm({ client, company: { country, identifier }, onAdded }: Props) {
  const texts = useTexts();
  const field = useRef<HTMLTextAreaElement>(null);
  const add = useAction(client, AddCompanyNote, ({ addCompanyNote }) => {
    if (!addCompanyNote) return;
    if (field.current) field.current.value = '';
    onAdded(addCompanyNote.note);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (text !== '') void add.run({ country, identifier, text });
  };
  return (
    <form className="column note-form" onSubmit={submit}>
      <label htmlFor="note">{texts('note.label')}</label>
      <textarea id="note" ref={field} rows={2} maxLength={MAX_NOTE} required />
      <div className="row">
        <button type="submit" disabled={add.isBusy}>
          {texts('note.add')}
        </button>
        <span className="quiet small">{texts('note.hint')}</span>
      </div>
      {add.problem && (
        <p className="notice small" role="alert">
          {problemText(add.problem, texts)}
        </p>
      )}
    </form>
  );
}
