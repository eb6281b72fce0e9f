import { type CompanyKey, legalPersonText } from '../../domain/company.ts';
import { chosenLabel, registrable } from './domain.ts';
import type { Candidate, DomainOwner, PageSightings, Sighting, SightingKind } from './owner.ts';
import type { PageCountry } from './tax-numbers.ts';

/**
 * Legal names by tax id, from a tax registry; null for a tax id that the registry does not have. A tax id without an entry was not looked
 * up, or its lookup failed.
 */
export type RegistryNames = ReadonlyMap<string, string | null>;

/** Weight of a mention, by its kind. */
const WEIGHTS: Readonly<Record<SightingKind, number>> = { structured: 0.9, footer: 0.8, label: 0.6, unlabelled: 0.4 };
const FURTHER_PAGE = 0.1;
const CREDIT = -0.3;
const NAME = 0.2;
/** Highest confidence that a site's own pages can give. */
const MAX_CONFIDENCE = 0.95;

/** Minimum weight of an owner, and minimum lead over any other company. */
const MIN_WEIGHT = 0.5;
const MIN_LEAD = 0.15;
/** Maximum number of candidates that are looked up and returned. */
const MAX_CANDIDATES = 5;

interface Weighed extends Candidate {
  readonly weight: number;
  /** True if the company may be the owner: its name matches, or a page of the domain itself mentions it other than in a credit. */
  readonly isEligible: boolean;
}

type Verdict = Pick<DomainOwner, 'company' | 'confidence' | 'evidence' | 'candidates' | 'reason'>;

/** Returns the bare tax ids on the pages that should be looked up in the registry, at most 5, the most likely ones first. */
export const taxIdsToLookUp = (pages: readonly PageSightings[], domain: string, country: PageCountry): readonly string[] =>
  weigh(pages, domain, country, new Map()).map(({ company }) => company.taxId);

/**
 * Decides which company owns a site, from its pages and the registry's names.
 *
 * A tax id has the weight of its best mention: 0.9 in structured data, 0.8 beside a label in a footer, 0.6 beside a label elsewhere,
 * 0.4 beside a company's name alone; minus 0.3 in a sentence that credits the site's maker or host. Each further page that mentions it
 * outside a credit adds 0.1. A registered name that matches the domain or a page's title adds 0.2.
 * A tax id that the registry does not have is excluded. So is one that is only mentioned in credits, or only on another domain that the
 * site redirects to, unless its name matches.
 * The owner is the company with the highest weight, if that is at least 0.5 and exceeds any other legal person's by 0.15.
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

/** Rounds to hundredths, because sums of decimal fractions are not exact in binary. */
const rounded = (weight: number): number => Math.round(weight * 100) / 100;

/** Words of a legal name that do not distinguish a company: legal forms, articles, prepositions and conjunctions. */
const FORMS = new Set(
  'sociedad sociedade anonima limitada ltda spa sa sas eirl eireli me epp mei cia compania companhia y e de del la las los el da do das dos en em the'.split(
    ' ',
  ),
);
/** Minimum share of the domain's label, or of the name, that must match. */
const HALF = 0.5;

/** Converts a text to lower case without accents, with `S.P.A.` and `S/A` joined to one word. */
const normalized = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\b(\p{L})[./](?=\p{L}\b)/gu, '$1');

const wordsOf = (text: string): string[] => normalized(text).match(/[\p{L}\d]+/gu) ?? [];

/**
 * True when a legal name matches a domain or a title: its words (three letters or more) cover half of the label, its initials are the
 * label, or half of the name's letters are in a page's title. `PANADERIA LA MARRAQUETA SPA` matches `la-marraqueta`.
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
