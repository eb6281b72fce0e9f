/** Names of a tender's states by the API's numbers; the bulk files have others, and the names beside them. */
const TENDER_STATES: Readonly<Record<number, string>> = {
  5: 'Publicada',
  6: 'Cerrada',
  7: 'Desierta',
  8: 'Adjudicada',
  18: 'Revocada',
  19: 'Suspendida',
};

/** The lists give a number and no name. */
export const tenderState = (code: number): string => TENDER_STATES[code] ?? `Estado ${code}`;
