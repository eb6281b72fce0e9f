import { createRequire } from 'node:module';
import { domainToASCII } from 'node:url';
import { getDomain, parse } from 'tldts';
import { editDistance } from '../../../names/edit-distance.ts';
import type { Provider } from '../domain.ts';

/** Corrections to the provider lists of npm packages: domains that are missing, wrong, or of another kind. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Providers of consumer mailboxes, including internet access providers. */
const MORE_FREE_PROVIDERS: readonly string[] = [
  // Chile
  ...words('vtr.net entelchile.net 123.cl 123mail.cl mi.cl tie.cl terra.cl chilesat.net ctcinternet.cl ctcreuna.cl manquehue.net'),
  ...words('gtdmail.com surnet.cl hotmail.cl live.cl outlook.cl yahoo.cl'),
  // Brazil
  ...words('uol.com.br bol.com.br terra.com.br ig.com.br superig.com.br ibest.com.br globo.com globomail.com r7.com oi.com.br pop.com.br'),
  ...words('zipmail.com.br click21.com.br brturbo.com.br veloxmail.com.br itelefonica.com.br yahoo.com.br hotmail.com.br outlook.com.br'),
  // Colombia
  ...words('une.net.co epm.net.co etb.net.co emcali.net.co cable.net.co tutopia.com uol.com.co yahoo.com.co latinmail.com'),
  // Neighbouring countries
  ...words('arnet.com.ar ciudad.com.ar fibertel.com.ar speedy.com.ar terra.com.ar uol.com.ar hotmail.com.ar live.com.ar outlook.com.ar'),
  ...words('yahoo.com.ar prodigy.net.mx hotmail.com.mx live.com.mx yahoo.com.mx outlook.com.pe terra.com.pe yahoo.com.pe speedy.com.pe'),
  ...words('cantv.net yahoo.com.ve adinet.com.uy montevideo.com.uy'),
  // International
  ...words('duck.com email.com fastmail.com googlemail.com hotmail.es outlook.es yahoo.es pm.me protonmail.ch rocketmail.com'),
  ...words('telefonica.net tuta.com tuta.io tutamail.com tutanota.com tutanota.de ymail.com'),
];

/** Domains on the list of common providers that are not free providers. */
export const NOT_FREE_PROVIDERS: readonly string[] = [
  // Companies and schools
  ...words('alibaba.com about.com ancestry.com discovery.com dnsmadeeasy.com facebook.com islamonline.net looksmart.com medscape.com'),
  ...words('name.com nus.edu.sg oath.com singpost.com techspot.com unican.es'),
  // Placeholders
  ...words('example.com mydomain.com test.com test.de www.com yourdomain.com'),
  // Public suffixes
  ...words('cu.cc ddnsfree.com dynu.net f5.si fr.nf msk.ru pe.hu pp.ua spb.ru web.id za.com zp.ua'),
  // Disposable
  ...words('10minutemail.com 21cn.com anonymize.com bugmenot.com chacuo.net emailondeck.com guerrillamail.com mail-tester.com'),
  ...words('mailinator.com privacy.net sify.com temp-mail.org yopmail.com'),
];

/** Services of disposable mailboxes. Many of them receive mail for any domain whose MX names them. */
const DISPOSABLE_SERVICES: ReadonlySet<string> = new Set([
  ...words('mailinator.com yopmail.com guerrillamail.com 33mail.com moakt.com tempmail.dev mail.tm 1secmail.com inboxkitten.com'),
  ...words('emailondeck.com minuteinbox.com temp-mail.io'),
]);

/**
 * Mail servers that receive mail for consumer mailboxes only. The servers of Google Workspace, Microsoft 365 and iCloud are left out,
 * because companies have their own domains there.
 */
const CONSUMER_MAIL_SERVERS: readonly RegExp[] = [/\.olc\.protection\.outlook\.com$/, /^mta\d+\.am0\.yahoodns\.net$/];

/** Brands with mailboxes under the suffixes of many countries. */
export const BRANDS: readonly string[] = words('gmx hotmail live msn outlook yahoo ymail');

/** Domains that typos are corrected to, the most used first. */
export const TYPED_OFTEN: readonly string[] = [
  ...words('gmail.com hotmail.com outlook.com yahoo.com live.com icloud.com msn.com hotmail.es outlook.es yahoo.es hotmail.cl yahoo.cl'),
  ...words('live.cl outlook.cl vtr.net entelchile.net yahoo.com.br hotmail.com.br outlook.com.br uol.com.br bol.com.br terra.com.br'),
  ...words('ig.com.br globo.com une.net.co yahoo.com.ar yahoo.com.mx hotmail.com.ar live.com.mx prodigy.net.mx protonmail.com'),
  ...words('googlemail.com rocketmail.com fastmail.com aol.com comcast.net'),
];

/** Look-alike domains with mail servers of their own; an address there is almost always a typo. */
export const SQUATS: readonly string[] = [
  ...words('gmail.co gmail.cm gmail.om gmai.com gmal.com gmali.com gmaul.com gmaill.com gmial.com gmil.com gmsil.com gamil.com'),
  ...words('ggmail.com gimal.com gnail.com'),
  ...words('hotmail.co hotmail.cm hotmail.om hotmai.com hotmal.com hotmaill.com hotmali.com hotmial.com hotmil.com hotnail.com'),
  ...words('hormail.com homail.com htomail.com'),
  ...words('outlook.co outlook.cm outlok.com outloo.com outllok.com outloook.com'),
  ...words('yahoo.co yahoo.cm yahoo.om yaho.com yahho.com yahooo.com yajoo.com'),
  ...words('icloud.co icloud.cm iclod.com icoud.com'),
];

/** The lists are files of npm packages, 3 MB in total. They are read on first use, not at start. */
const require = createRequire(import.meta.url);

/**
 * Lists of disposable providers that are maintained independently: `disposable-email-domains` (index and wildcards) and `mailchecker`.
 * Each of them contains ordinary companies by mistake, so that one list alone does not decide.
 */
const disposableLists = once((): readonly ReadonlySet<string>[] => {
  const index = require('disposable-email-domains') as string[];
  const wildcards = require('disposable-email-domains/wildcard.json') as string[];
  const { blacklist } = require('mailchecker') as { blacklist(): ReadonlySet<string> };
  return [[...index, ...wildcards], [...blacklist()]].map((names) => new Set(names.map(inAscii)));
});

const inAscii = (name: string): string => (/[^\0-\x7f]/.test(name) ? domainToASCII(name) : name);

/** The domains that all lists of disposable providers contain. */
export const disposableDomains = once((): ReadonlySet<string> => {
  const [first = new Set<string>(), ...others] = disposableLists();
  return new Set([...first].filter((name) => others.every((list) => list.has(name))));
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

/**
 * Returns the kind of provider of a domain. Disposable takes precedence and includes all subdomains.
 * @param domain A-labels
 * @param mailServers host names of its MX records; empty if unknown
 */
export function providerOf(domain: string, mailServers: readonly string[]): Provider {
  const disposable = isDisposable(domain, mailServers);
  const forConsumers = freeDomains().has(domain) || mailServers.some((host) => CONSUMER_MAIL_SERVERS.some((one) => one.test(host)));
  return { disposable, freeProvider: !disposable && forConsumers };
}

/**
 * True if all lists contain the domain, it is a known service, or its mail goes to a disposable provider: to a known service or, for a
 * domain on one list, to a domain on all lists.
 */
function isDisposable(domain: string, mailServers: readonly string[]): boolean {
  const names = withParents(domain);
  const listed = (list: ReadonlySet<string>) => names.some((name) => list.has(name));
  if (listed(disposableDomains())) return true;
  const hosts = mailServers.flatMap(withParents);
  if ([...names, ...hosts].some((host) => DISPOSABLE_SERVICES.has(host))) return true;
  return disposableLists().some(listed) && hosts.some((host) => disposableDomains().has(host));
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
  const steps = editDistance(domain, meant, MAX_EDITS);
  return steps > MAX_EDITS || (steps === MAX_EDITS && domain[0] !== meant[0]) ? Number.POSITIVE_INFINITY : steps;
}

function mayBeTypoOf(domain: string, meant: string): boolean {
  const [typed, wanted] = [lastLabel(domain), lastLabel(meant)];
  return typed === wanted || !isSuffix(typed) || (wanted === 'com' && TYPOS_OF_COM.includes(typed));
}

const lastLabel = (domain: string): string => domain.slice(domain.lastIndexOf('.') + 1);
const isSuffix = (label: string): boolean => parse(`any.${label}`).isIcann === true;
