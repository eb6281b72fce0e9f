import { SOURCE_GROUPS, type SourceGroup, sourceGroupOf } from '../../../src/domain/source-groups.ts';
import { sourceNameIn } from '../../../src/messages/source-names.ts';
import type { Sources } from '../../api/operations.ts';
import type { Language, TextKey } from '../../texts/texts.ts';

export type Source = Sources['sources'][number];

export interface GroupOfSources {
  readonly group: SourceGroup;
  readonly sources: readonly Source[];
}

const REGISTRIES: readonly string[] = ['RECEITA_FEDERAL', 'SII', 'CL_OWNERSHIP', 'RUES'];
const ORDERS: readonly string[] = ['MERCADOPUBLICO', 'PNCP', 'SECOPII'];

/** True for a source whose last reading or call failed, and that would still answer. */
const hasJustFailed = ({ lastErrorAt, lastSuccessAt }: Source): boolean =>
  lastErrorAt !== null && Date.parse(lastErrorAt) > (lastSuccessAt === null ? 0 : Date.parse(lastSuccessAt));

/** Returns the text about a source without a success: a source that failed, or that had calls, was asked. */
export const withoutSuccess = ({ usable, lastErrorAt, recentCalls }: Source): 'sources.noSuccess' | 'sources.notAsked' =>
  !usable || lastErrorAt !== null || (recentCalls?.calls ?? 0) > 0 ? 'sources.noSuccess' : 'sources.notAsked';

/** Rank of the state of a source, which is lower for a worse one. */
function rankOf(source: Source): number {
  if (!source.usable) return 0;
  if (source.circuit === 'HALF_OPEN') return 1;
  return hasJustFailed(source) ? 2 : 3;
}

/**
 * Groups the sources by country. In a group, those that do not answer are first, then those that are being tried or failed last, each by
 * their name in the language of the reader. The groups are ordered by their worst source, and equal ones as in `SOURCE_GROUPS`.
 */
export function groupsOf(sources: readonly Source[], language: Language): readonly GroupOfSources[] {
  const compare = (a: Source, b: Source): number =>
    rankOf(a) - rankOf(b) || sourceNameIn(a.name, language).localeCompare(sourceNameIn(b.name, language), language);
  const byGroup = Map.groupBy(sources.toSorted(compare), ({ name }) => sourceGroupOf(name));
  const groups = SOURCE_GROUPS.flatMap((group) => {
    const own = byGroup.get(group);
    return own ? [{ group, sources: own, rank: Math.min(...own.map(rankOf)) }] : [];
  });
  return groups.toSorted((a, b) => a.rank - b.rank);
}

/** Returns the text that says what the failure of a source means for the answers; null if it has not failed. */
export function meaningOf(source: Source): TextKey | null {
  if (source.usable && source.circuit !== 'HALF_OPEN') {
    if (!hasJustFailed(source)) return null;
    return source.list ? 'sources.means.READ_FAILED' : 'sources.means.CALL_FAILED';
  }
  const { name } = source;
  if (REGISTRIES.includes(name)) return 'sources.means.REGISTRY';
  if (ORDERS.includes(name)) return 'sources.means.ORDERS';
  return name === 'RDAP' || sourceGroupOf(name) === 'INTERNET' ? 'sources.means.INTERNET' : 'sources.means.LIST';
}
