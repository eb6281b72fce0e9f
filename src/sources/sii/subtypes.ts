import { readFile } from 'node:fs/promises';

/** Subtypes of legal persons whose codes are known without the catalogue. */
export const SUBTYPES: ReadonlyMap<string, string> = new Map([
  ['212', 'EMPRESA INDIVIDUAL DE RESPONSABILIDAD LIMITADA'],
  ['213', 'SOCIEDAD ANONIMA'],
  ['214', 'SOCIEDAD DE RESPONSABILIDAD LIMITADA'],
  ['223', 'SOCIEDAD POR ACCIONES'],
  ['611', 'MUNICIPALIDAD'],
  ['811', 'JUNTA DE VECINOS'],
  ['812', 'CLUB DEPORTIVO'],
  ['813', 'FUNDACION'],
  ['816', 'SINDICATO'],
]);

/** The catalogue is small; its columns are not stated anywhere: in each row the last code of three digits, and the text after it. */
export async function readSubtypes(path: string): Promise<ReadonlyMap<string, string>> {
  const bytes = await readFile(path);
  const found = new Map<string, string>();
  for (const line of decoded(bytes).split(/\r?\n/)) {
    const cells = line.split(/[\t;]/).map((cell) => cell.trim());
    const place = cells.findLastIndex((cell) => /^\d{3}$/.test(cell));
    const label = cells[place + 1];
    if (place >= 0 && label) found.set(cells[place] ?? '', label.replaceAll(UNPRINTABLE, ' ').slice(0, MAX_LABEL));
  }
  return found;
}

/** Also what would have to be escaped on its way to the database. */
const UNPRINTABLE = /[\p{Cc}\\]/gu;
const MAX_LABEL = 100;

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
