import { createRequire } from 'node:module';
import { domainToASCII } from 'node:url';
import { getDomain, parse } from 'tldts';
import type { Provider } from '../domain.ts';
import { BRANDS, MORE_FREE_PROVIDERS, NOT_DISPOSABLE, NOT_FREE_PROVIDERS, SQUATS, TYPED_OFTEN } from './provider-names.ts';

/** The lists are JSON files of npm packages, 2 MB in total. They are read on first use, not at start. */
const require = createRequire(import.meta.url);

/** All known disposable providers: `disposable-email-domains` (index and wildcards). */
export const disposableDomains = once((): ReadonlySet<string> => {
  const index = require('disposable-email-domains') as string[];
  const wildcards = require('disposable-email-domains/wildcard.json') as string[];
  const all = new Set([...index, ...wildcards]);
  for (const name of index) if (/[^\0-\x7f]/.test(name)) all.add(domainToASCII(name));
  for (const name of NOT_DISPOSABLE) all.delete(name);
  return all;
});

/** All known free providers: the common ones of `email-providers`, brands under other suffixes, and our additions. */
export const freeDomains = once((): ReadonlySet<string> => {
  const common = require('email-providers/common.json') as string[];
  const branded = (require('email-providers/all.json') as string[]).filter(isBranded);
  const all = new Set([...common, ...branded, ...MORE_FREE_PROVIDERS]);
  for (const name of [...NOT_FREE_PROVIDERS, ...SQUATS]) all.delete(name);
  return all;
});

/** Returns true for `hotmail.it`, false for `live.mdx.ac.uk` and `hotmail.con`. */
const isBranded = (name: string): boolean =>
  BRANDS.some((brand) => name.startsWith(`${brand}.`)) && getDomain(name, { allowPrivateDomains: false }) === name;

/** Returns the kind of provider of a domain (A-labels). Disposable takes precedence and includes all subdomains. */
export function providerOf(domain: string): Provider {
  const disposable = withParents(domain).some((name) => disposableDomains().has(name));
  return { disposable, freeProvider: !disposable && freeDomains().has(domain) };
}

/** Returns a domain and its parents, up to the registered domain. */
function withParents(domain: string): string[] {
  const labels = domain.split('.');
  const depth = labels.length - (getDomain(domain)?.split('.').length ?? labels.length);
  return Array.from({ length: depth + 1 }, (_, i) => labels.slice(i).join('.'));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Edit distance of two texts: insertions, deletions, substitutions and swaps of neighbours. The package has no types. */
const levenshtein = createRequire(import.meta.url)('damerau-levenshtein') as (a: string, b: string) => { readonly steps: number };

const MAX_EDITS = 2;
const squats = new Set(SQUATS);
/** Endings that are not DNS suffixes and can only be typos of `.com`. */
const MISTYPED_COM = /\.(con|cmo|ocm|comm)$/;
/** Country suffixes that are common typos of `.com`. */
const TYPOS_OF_COM = ['cm', 'co', 'om'];

/**
 * Suggests the domain that was probably meant; null without a suspected typo. Suggests nothing for a known provider, nor for a domain
 * with mail servers unless it is a known look-alike. Keeps existing suffixes: `.cl`, `.com.br` and `.com.co` are not replaced.
 * @param domain in lower case; it may be malformed
 * @param hasMailServers whether the domain has MX records
 */
export function suggestDomain(domain: string, hasMailServers: boolean): string | null {
  const repaired = domain.replace(MISTYPED_COM, '.com');
  if (repaired !== domain) return freeDomains().has(repaired) ? repaired : (nearest(repaired) ?? repaired);
  if (freeDomains().has(domain) || (hasMailServers && !squats.has(domain))) return null;
  return nearest(domain);
}

function nearest(domain: string): string | null {
  const [best] = TYPED_OFTEN.map((meant) => ({ meant, edits: editsBetween(domain, meant) }))
    .filter(({ meant, edits }) => edits <= meant.length / 4 && mayBeTypoOf(domain, meant))
    .sort((a, b) => a.edits - b.edits);
  return best?.meant ?? null;
}

/**
 * Returns the edit distance, or infinity above two edits. Two edits also count as infinity when the first letters differ, because a typo
 * there seldom comes with a second one.
 */
function editsBetween(domain: string, meant: string): number {
  if (Math.abs(domain.length - meant.length) > MAX_EDITS) return Number.POSITIVE_INFINITY;
  const { steps } = levenshtein(domain, meant);
  return steps > MAX_EDITS || (steps === MAX_EDITS && domain[0] !== meant[0]) ? Number.POSITIVE_INFINITY : steps;
}

function mayBeTypoOf(domain: string, meant: string): boolean {
  const [typed, wanted] = [lastLabel(domain), lastLabel(meant)];
  return typed === wanted || !isSuffix(typed) || (wanted === 'com' && TYPOS_OF_COM.includes(typed));
}

const lastLabel = (domain: string): string => domain.slice(domain.lastIndexOf('.') + 1);
const isSuffix = (label: string): boolean => parse(`any.${label}`).isIcann === true;
