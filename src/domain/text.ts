/** Text for comparison by keyword: without accents, case or repeated blanks. */
export const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase();
