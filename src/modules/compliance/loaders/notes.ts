import { rowLoadersOf } from '../../../loaders/rows.ts';
import { COMPLIANCE_MODULES } from '../loader.ts';
import { findNotes, pageNotes } from '../store/notes.ts';

const rowsOf = rowLoadersOf(COMPLIANCE_MODULES);

/** Loads a note of the account; null if it does not exist. */
export const noteLoader = rowsOf('company_note', findNotes);
/** Loads a page of the notes of an account about a company, newest first. */
export const notesLoader = rowsOf('company_notes', pageNotes);
