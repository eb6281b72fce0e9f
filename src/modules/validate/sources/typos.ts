import { createRequire } from 'node:module';
import { parse } from 'tldts';
import { SQUATS, TYPED_OFTEN } from './names.ts';
import { freeDomains } from './providers.ts';

/** The package has no types. Edits: a character put in, left out, exchanged, or swapped with its neighbour. */
const levenshtein = createRequire(import.meta.url)('damerau-levenshtein') as (a: string, b: string) => { readonly steps: number };

const MAX_EDITS = 2;
const squats = new Set(SQUATS);
/** Ends that are no suffix of the DNS, and can only have been meant as `.com`. */
const MISTYPED_COM = /\.(con|cmo|ocm|comm)$/;
/** Suffixes of countries that a slip makes of `.com`. */
const SLIPS_OF_COM = ['cm', 'co', 'om'];

/**
 * The domain that was probably meant, or null. Never for a known provider, nor for a domain that has mail servers unless it is a known
 * look-alike. A suffix that exists is kept: `.cl`, `.com.br` and `.com.co` are not rewritten to another.
 * @param domain in lower case; it may be malformed
 * @param hasMailServers whether it names any in the DNS
 */
export function suggestDomain(domain: string, hasMailServers: boolean): string | null {
  const repaired = domain.replace(MISTYPED_COM, '.com');
  if (repaired !== domain) return freeDomains().has(repaired) ? repaired : (nearest(repaired) ?? repaired);
  if (freeDomains().has(domain) || (hasMailServers && !squats.has(domain))) return null;
  return nearest(domain);
}

function nearest(domain: string): string | null {
  const [best] = TYPED_OFTEN.map((meant) => ({ meant, edits: editsBetween(domain, meant) }))
    .filter(({ meant, edits }) => edits <= meant.length / 4 && mayMean(domain, meant))
    .sort((a, b) => a.edits - b.edits);
  return best?.meant ?? null;
}

/** More than two is as good as none in common; then also where the first letter differs, which is seldom mistyped together with another. */
function editsBetween(domain: string, meant: string): number {
  if (Math.abs(domain.length - meant.length) > MAX_EDITS) return Number.POSITIVE_INFINITY;
  const { steps } = levenshtein(domain, meant);
  return steps > MAX_EDITS || (steps === MAX_EDITS && domain[0] !== meant[0]) ? Number.POSITIVE_INFINITY : steps;
}

function mayMean(domain: string, meant: string): boolean {
  const [typed, wanted] = [lastLabel(domain), lastLabel(meant)];
  return typed === wanted || !isSuffix(typed) || (wanted === 'com' && SLIPS_OF_COM.includes(typed));
}

const lastLabel = (domain: string): string => domain.slice(domain.lastIndexOf('.') + 1);
const isSuffix = (label: string): boolean => parse(`any.${label}`).isIcann === true;
