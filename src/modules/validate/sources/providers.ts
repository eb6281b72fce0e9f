import { createRequire } from 'node:module';
import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';
import type { Provider } from '../domain.ts';
import { BRANDS, MORE_FREE_PROVIDERS, NOT_DISPOSABLE, NOT_FREE_PROVIDERS, SQUATS } from './names.ts';

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
