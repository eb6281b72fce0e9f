import { structuredIds } from './json-ld.ts';
import type { PageDocument, PageLine } from './page-document.ts';
import type { PageSightings, Sighting, SightingKind } from './sighting.ts';
import { snippetOf } from './snippet.ts';
import { followsLabel, type PageCountry, precedesLabel, type TaxNumber, taxNumbers } from './tax-numbers.ts';

/** A directory of companies names thousands: none of them is its owner for that. */
const MOST = 200;
const LONGEST_LINE = 20_000;
/** How far back the words about a number may begin. */
const WORDS_REACH = 400;
const COMPANY_SUFFIX = /\b(?:spa|ltda|limitada|s\.?a|s\/a|e\.?i\.?r\.?l|s\.a\.s|eireli|sociedad an[oó]nima)\b/i;
/** Words of Spanish too, unless in capitals. */
const SMALL_COMPANY = /\b(?:ME|EPP|MEI)\b/;
const CREDIT = new RegExp(
  [
    String.raw`\b(?:sitio|site|web|p[aá]gina)(?: web)? (?:por|by)\b`,
    String.raw`\b(?:dise[nñ](?:o|ad[oa])|desarroll(?:o|ad[oa])|cread[oa]|hech[oa]|realizad[oa]|criad[oa]|feit[oa]|desenvolvid[oa]|desenvolvimento)(?: [ye] [\p{L}]+)?(?: web)?(?: (?:por|by)\b|:)`,
    String.raw`\b(?:powered|made) by\b`,
    String.raw`\b(?:hosting|hospedad[oa]|hospedagem|alojad[oa])\b`,
  ].join('|'),
  'iu',
);
/** Where one statement of a line ends and the next begins. */
const BREAK = /[|·•;©]|(?<=\p{Ll}{3})\. /u;

/** The tax ids of a page, with what speaks for and against each; the first 200. */
export function readPage({ title, lines, jsonLd }: PageDocument, url: string, country: PageCountry): PageSightings {
  const inText: Sighting[] = [];
  // Footers come last and say most: a page of many numbers is read from its end.
  for (let i = lines.length - 1, looked = 0; i >= 0 && looked < MOST; i -= 1) {
    const line = lines[i] as PageLine;
    const numbers = taxNumbers(line.text.slice(0, LONGEST_LINE), country).slice(0, MOST);
    looked += numbers.length;
    inText.unshift(...inLine(line, numbers, lines[i - 1]?.text ?? '', country));
  }
  return { url, title, sightings: [...structuredIds(jsonLd, country), ...inText].slice(0, MOST) };
}

function inLine({ text, inFooter }: PageLine, numbers: readonly TaxNumber[], lineBefore: string, country: PageCountry): Sighting[] {
  return numbers.flatMap((number, i) => {
    const own = statements(text.slice(numbers[i - 1]?.end ?? 0, number.start));
    const words = lastWords(i > 0 ? own : [...statements(lineBefore), ...own]);
    const kind = kindOf(number, { words, after: text.slice(number.end, number.end + 12), inFooter }, country);
    const snippet = snippetOf(`${words}${text.slice(number.start, number.end)}`);
    return kind ? [{ taxId: number.taxId, kind, credit: CREDIT.test(words), snippet }] : [];
  });
}

interface Surroundings {
  readonly words: string;
  readonly after: string;
  readonly inFooter: boolean;
}

/** Null for a number that nothing says is a company's. */
function kindOf({ punctuated }: TaxNumber, { words, after, inFooter }: Surroundings, country: PageCountry): SightingKind | null {
  if (followsLabel(words, country) || precedesLabel(after, country)) return inFooter ? 'footer' : 'label';
  return punctuated && (COMPANY_SUFFIX.test(words) || SMALL_COMPANY.test(words)) ? 'unlabelled' : null;
}

const statements = (text: string): string[] => text.slice(-WORDS_REACH).split(BREAK);

/** The last statement; where that is but a label in a cell or line of its own, with the one before. */
function lastWords(all: readonly string[]): string {
  const last = all.findLastIndex((one) => /\p{L}{5}/u.test(one.replace(/rol [uú]nico tributario/iu, '')));
  return all.slice(Math.max(last, 0)).join(' ');
}
