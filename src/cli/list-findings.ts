import { isoDate } from '../domain/time.ts';
import type { SourceReport, Sources } from '../sources/build.ts';
import { receitaFederal } from '../sources/receita-federal/receita-federal.ts';
import { type Finding, off, ok, problem, warning } from './finding.ts';

/**
 * Returns a finding for each published list and each copy of a registry.
 * @param receitaMode value of QUIPU_RECEITA_MODE
 */
export async function listFindings(sources: Sources, receitaMode: string): Promise<readonly Finding[]> {
  try {
    const reports = await sources.report();
    const lists = reports.filter(({ name, kind }) => kind === 'list' && name !== receitaFederal.name);
    const registry = reports.filter(({ name }) => name === receitaFederal.name);
    return [...lists.map(listFinding), ...registry.map((report) => registryCopyFinding(report, receitaMode, Date.now()))];
  } finally {
    await sources.close();
  }
}

/** The part of a report that a finding on a list is made from. */
type ListFacts = Pick<SourceReport, 'name' | 'usable' | 'off' | 'offBecause' | 'list' | 'lastErrorAt' | 'lastError'>;

/** Returns the finding on a published list or another copy. A list that is off has its reason and the setting that turns it on. */
export function listFinding({ name, usable, off: isOff, offBecause, list, lastErrorAt, lastError }: ListFacts): Finding {
  const facts = list
    ? `${list.entries} entries, checked ${new Date(list.checkedAt).toISOString().slice(0, 16)}Z`
    : usable
      ? 'nothing to load'
      : 'never loaded';
  const check = `list ${name}`;
  if (isOff) return off(check, `switched off${offBecause ? `: ${offBecause.why} (${offBecause.setting})` : ''}`);
  const hasJustFailed = (lastErrorAt ?? 0) > (list?.checkedAt ?? 0); // an error stays recorded after a success
  if (usable) return hasJustFailed ? warning(check, `${facts}; last sync: ${lastError}`, `quipu sync ${name}`) : ok(check, facts);
  return problem(check, `${facts}; last sync: ${lastError ?? 'none'}`, `quipu sync ${name}; reasons: docs/operations.md#reasons`);
}

const IMPORT = 'quipu import receita; reasons: docs/operations.md#the-own-copy-of-the-brazilian-registry';

/** Returns the finding on the own copy of the Brazilian registry. @param now epoch ms */
export function registryCopyFinding(
  { name, list, lastError }: Pick<SourceReport, 'name' | 'list' | 'lastError'>,
  mode: string,
  now: number,
): Finding {
  const check = `copy ${name}`;
  const facts = list
    ? `extract of ${list.publishedOn}, ${list.entries} establishments, used until ${isoDate(list.goodUntil)}`
    : 'never loaded';
  if (mode === 'live') return off(check, `${facts}; QUIPU_RECEITA_MODE=live does not read it`);
  const isUsable = list !== null && now < list.goodUntil;
  const found = isUsable || list === null ? facts : `${facts}, which is over`;
  if (isUsable) return ok(check, found);
  return mode === 'copy'
    ? problem(check, `${found}; every check of a Brazilian company fails. Last error: ${lastError ?? 'none'}`, IMPORT)
    : warning(check, `${found}; the mirrors answer for every company. Last error: ${lastError ?? 'none'}`, IMPORT);
}
