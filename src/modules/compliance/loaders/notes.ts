import { rowLoadersOf } from '../../../loaders/rows.ts';
import { COMPLIANCE_MODULES } from '../loader.ts';
import { findNotes, pageNotes } from '../store/notes.ts';

const rowsOf = rowLoadersOf(COMPLIANCE_MODULES);

/** Loads a note of the account; null if it does not exist. */
export const noteLoader = rowsOf('company_note', findNotes);
/** Loads a page of the notes of an account about a company, newest first, by the module of the country of the company. */
export const notesLoaders = {
  compliance_br: rowLoadersOf('compliance_br')('company_notes', pageNotes),
  compliance: rowLoadersOf('compliance')('company_notes', pageNotes),
} as const;
