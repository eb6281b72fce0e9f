import type { CompanyKey } from '../../../domain/company.ts';

/** A text of a person of an account about a company. It changes no check and no risk level. */
export interface Note {
  /** UUID. */
  readonly id: string;
  readonly company: CompanyKey;
  /** The text, of which each CPF is masked. */
  readonly text: string;
  /** Id of the API key that wrote it. */
  readonly keyId: string;
  /** Name of that key when it wrote the note. */
  readonly keyName: string;
  /** Epoch ms. */
  readonly writtenAt: number;
}

/** Maximum length of a note, in UTF-16 units. */
export const MAX_NOTE = 2_000;
/** Maximum number of notes per account. */
export const MAX_NOTES = 10_000;
