import { createRequire } from 'node:module';
import { domainToASCII } from 'node:url';
import { getDomain, parse } from 'tldts';
import type { Provider } from '../domain.ts';
import { BRANDS, MORE_FREE_PROVIDERS, NOT_DISPOSABLE, NOT_FREE_PROVIDERS, SQUATS, TYPED_OFTEN } from './provider-names.ts';

/** The lists are JSON files of packages, two megabytes of them: read at the first question, not at the start. */
const require = createRequire(import.meta.url);

/** Every known throwaway provider: `disposable-email-domains` (index and wildcards) and `disposable-email-domains-js`. */
export const disposableDomains = once((): ReadonlySet<string> => {
  const index = require('disposable-email-domains') as string[];
  const wildcards = require('disposable-email-domains/wildcard.json') as string[];
  const { disposableEmailBlocklist } = require('disposable-email-domains-js') as { disposableEmailBlocklist: () => string[] };
  const all = new Set(index);
  for (const name of [...wildcards, ...disposableEmailBlocklist()]) all.add(name);
  for (const name of index) if (/[^\0-\x7f]/.test(name)) all.add(domainToASCII(name));
  for (const name of NOT_DISPOSABLE) all.delete(name);
  return all;
});

/** Every known provider of mailboxes for consumers: the common ones of `email-providers`, brands under other suffixes, and our own. */
export const freeDomains = once((): ReadonlySet<string> => {
  const common = require('email-providers/common.json') as string[];
  const branded = (require('email-providers/all.json') as string[]).filter(isBranded);
  const all = new Set([...common, ...branded, ...MORE_FREE_PROVIDERS]);
  for (const name of [...NOT_FREE_PROVIDERS, ...SQUATS]) all.delete(name);
  return all;
});

/** `hotmail.it`, and not `live.mdx.ac.uk` nor `hotmail.con`. */
const isBranded = (name: string): boolean =>
  BRANDS.some((brand) => name.startsWith(`${brand}.`)) && getDomain(name, { allowPrivateDomains: false }) === name;

/** Domain (A-labels) → what kind of provider it is. Throwaway goes first, and counts for everything below it. */
export function providerOf(domain: string): Provider {
  const disposable = withParents(domain).some((name) => disposableDomains().has(name));
  return { disposable, freeProvider: !disposable && freeDomains().has(domain) };
}

/** A domain and each one above it, up to the one that was registered. */
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
