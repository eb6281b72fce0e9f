import { type CompanyKey, legalPersonText } from '../../domain/company.ts';
import { chosenLabel, registrable } from './domain.ts';
import type { Candidate, DomainOwner, PageSightings, Sighting, SightingKind } from './owner.ts';
import type { PageCountry } from './tax-numbers.ts';

/** What a registry has of tax ids: the legal name, or null for "none". A tax id that it was not asked about, or gave no answer to, is missing. */
export type RegistryNames = ReadonlyMap<string, string | null>;

/** What a mention is worth by how it is made. */
const WEIGHTS: Readonly<Record<SightingKind, number>> = { structured: 0.9, footer: 0.8, label: 0.6, unlabelled: 0.4 };
const FURTHER_PAGE = 0.1;
const CREDIT = -0.3;
const NAME = 0.2;
/** A site never says more surely than this whose it is. */
const MAX_CONFIDENCE = 0.95;

/** The least that counts as an owner, and how far ahead of any other company it must be. */
const MIN_WEIGHT = 0.5;
const MIN_LEAD = 0.15;
/** Candidates that are looked up and shown. */
const MAX_CANDIDATES = 5;

interface Weighed extends Candidate {
  readonly weight: number;
  /** True when nothing more than the company's name is needed to believe it: it is not only a guest on these pages. */
  readonly isEligible: boolean;
}

type Verdict = Pick<DomainOwner, 'company' | 'confidence' | 'evidence' | 'candidates' | 'reason'>;

/** Bare tax ids named on the pages, the likeliest first: those worth looking up. */
export const taxIdsToLookUp = (pages: readonly PageSightings[], domain: string, country: PageCountry): readonly string[] =>
  weigh(pages, domain, country, new Map()).map(({ company }) => company.taxId);

/**
 * The company behind a site, by its pages and the registry's names.
 *
 * Each tax id weighs as its best mention: 0.9 in structured data, 0.8 beside a label in a footer, 0.6 beside a label elsewhere,
 * 0.4 beside a company's name alone; 0.3 less in a sentence that credits somebody else; 0.1 more for each further page that
 * does not; 0.2 more
 * when its registered name speaks for the domain or for a page's title. One that the registry does not know is out. So is one
 * that is named only as a credit, or only on another domain that the site redirects to, unless its name speaks for it.
 * The best wins with at least 0.5, and 0.15 more than any other legal person.
 */
export function chooseOwner(pages: readonly PageSightings[], domain: string, country: PageCountry, names: RegistryNames): Verdict {
  const weighed = weigh(pages, domain, country, names);
  const candidates = weighed.map(({ company, confidence, evidence }) => ({ company, confidence, evidence }));
  const [best, ...others] = weighed.filter(({ isEligible, weight }) => isEligible && rounded(weight) >= MIN_WEIGHT);
  const none = { company: null, confidence: 0, evidence: null, candidates };
  if (!best) return { ...none, reason: 'not_named' };
  const rival = others.find(({ company }) => legalPersonText(company) !== legalPersonText(best.company));
  if (rival && rounded(best.weight - rival.weight) < MIN_LEAD) return { ...none, reason: 'ambiguous' };
  return { company: best.company, confidence: best.confidence, evidence: best.evidence, candidates, reason: null };
}

function weigh(pages: readonly PageSightings[], domain: string, country: PageCountry, names: RegistryNames): Weighed[] {
  const titles = pages.map(({ title }) => title);
  const label = chosenLabel(domain);
  return [...new Set(pages.flatMap(({ sightings }) => sightings.map(({ taxId }) => taxId)))]
    .filter((taxId) => names.get(taxId) !== null)
    .map((taxId) => {
      const name = names.get(taxId) ?? '';
      const nameMatches = matchesName(name, { label, titles });
      return weighOne({ country, taxId }, pages, domain, nameMatches);
    })
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_CANDIDATES);
}

function weighOne(company: CompanyKey, pages: readonly PageSightings[], domain: string, nameMatches: boolean): Weighed {
  const mentions = pages.flatMap(({ url, sightings }) => {
    const best = sightings.filter(({ taxId }) => taxId === company.taxId).sort((a, b) => weightOf(b) - weightOf(a))[0];
    return best ? [{ url, sighting: best }] : [];
  });
  const [first, ...further] = mentions.sort((a, b) => weightOf(b.sighting) - weightOf(a.sighting));
  if (!first) throw new Error('a candidate is named at least once');
  const weight =
    weightOf(first.sighting) + FURTHER_PAGE * further.filter(({ sighting }) => !sighting.credit).length + (nameMatches ? NAME : 0);
  return {
    company,
    weight,
    confidence: rounded(Math.min(weight, MAX_CONFIDENCE)),
    isEligible: nameMatches || mentions.some(({ url, sighting }) => !sighting.credit && registrable(new URL(url).hostname) === domain),
    evidence: { url: first.url, snippet: first.sighting.snippet, kind: first.sighting.kind },
  };
}

const weightOf = ({ kind, credit }: Sighting): number => WEIGHTS[kind] + (credit ? CREDIT : 0);

/** Tenths do not add up exactly. */
const rounded = (weight: number): number => Math.round(weight * 100) / 100;

/** Words of a legal name that tell nothing of the company: its form, and what stands between words. */
const FORMS = new Set(
  'sociedad sociedade anonima limitada ltda spa sa sas eirl eireli me epp mei cia compania companhia y e de del la las los el da do das dos en em the'.split(
    ' ',
  ),
);
/** A share of the domain or of the name that no accident explains. */
const HALF = 0.5;

/** Capitals and accents set aside, and `S.P.A.`, `S/A` in one piece. */
const normalized = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\b(\p{L})[./](?=\p{L}\b)/gu, '$1');

const wordsOf = (text: string): string[] => normalized(text).match(/[\p{L}\d]+/gu) ?? [];

/**
 * True when a legal name speaks for a domain: its words (three letters or more), or its initials, make up half of the chosen
 * part of the domain; or half of the name stands in a page's title. `PANADERIA LA MARRAQUETA SPA` speaks for `la-marraqueta`.
 */
export function matchesName(name: string, { label, titles }: { readonly label: string; readonly titles: readonly string[] }): boolean {
  const words = wordsOf(name).filter((word) => !FORMS.has(word));
  return inLabel(words, wordsOf(label).join('')) || titles.some((title) => inTitle(words, new Set(wordsOf(title))));
}

function inLabel(words: readonly string[], label: string): boolean {
  const initials = words.map((word) => word[0]).join('');
  if (label.length >= 3 && label === initials) return true;
  const covered = [...label].map(() => false);
  for (const word of words.filter(({ length }) => length >= 3)) {
    const at = label.indexOf(word);
    if (at >= 0) covered.fill(true, at, at + word.length);
  }
  return label.length > 0 && covered.filter(Boolean).length / label.length >= HALF;
}

function inTitle(words: readonly string[], title: ReadonlySet<string>): boolean {
  const distinctive = words.filter(({ length }) => length >= 3);
  const lettersOf = (some: readonly string[]) => some.join('').length;
  return distinctive.length > 0 && lettersOf(distinctive.filter((word) => title.has(word))) / lettersOf(distinctive) >= HALF;
}
