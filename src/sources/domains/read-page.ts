import type { PageSightings, Sighting, SightingKind } from './owner.ts';
import { type PageDocument, type PageLine, plain } from './page-document.ts';
import { followsLabel, type PageCountry, precedesLabel, readTaxNumber, type TaxNumber, taxNumbers } from './tax-numbers.ts';

/** A directory of companies names thousands: none of them is its owner for that. */
const MAX_NUMBERS = 200;
const MAX_LINE = 20_000;
/** How far back the words about a number may begin. */
const CONTEXT_CHARACTERS = 400;
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
  for (let i = lines.length - 1, found = 0; i >= 0 && found < MAX_NUMBERS; i -= 1) {
    const line = lines[i] as PageLine;
    const numbers = taxNumbers(line.text.slice(0, MAX_LINE), country).slice(0, MAX_NUMBERS);
    found += numbers.length;
    inText.unshift(...inLine(line, numbers, lines[i - 1]?.text ?? '', country));
  }
  return { url, title, sightings: [...structuredIds(jsonLd, country), ...inText].slice(0, MAX_NUMBERS) };
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

const statements = (text: string): string[] => text.slice(-CONTEXT_CHARACTERS).split(BREAK);

/** The last statement; where that is but a label in a cell or line of its own, with the one before. */
function lastWords(all: readonly string[]): string {
  const last = all.findLastIndex((one) => /\p{L}{5}/u.test(one.replace(/rol [uú]nico tributario/iu, '')));
  return all.slice(Math.max(last, 0)).join(' ');
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Types of schema.org that are organisations, and the kinds of shops and offices below them. */
const ORGANIZATION =
  /Organization|Corporation|Business|Company|Store|Shop|Restaurant|Hotel|Lodging|School|University|Clinic|Hospital|Agency|NGO|Airline|Service$/;
/** Whose node hangs there made the page, or part of it. */
const MAKER_PROPERTIES = new Set(['creator', 'author', 'contributor', 'maintainer', 'producer', 'sdPublisher']);
/** A shop may describe thousands of products; its own node stands near the top. */
const MAX_NODES = 5_000;

/** Tax ids of organisations in a page's JSON-LD: `taxID`, `vatID`, and `identifier` where it is a valid one. Blocks that do not parse are passed over. */
function structuredIds(blocks: readonly string[], country: PageCountry): Sighting[] {
  return blocks
    .flatMap((block) => organizations(parse(block)))
    .flatMap(({ node, credit }) =>
      idsOf(node).flatMap(({ property, value }) => {
        const taxId = readTaxNumber(plain(value), country);
        const name = typeof node.name === 'string' ? `${plain(node.name)}, ` : '';
        return taxId ? [{ taxId, kind: 'structured' as const, credit, snippet: snippetOf(`${name}${property} ${plain(value)}`) }] : [];
      }),
    );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*(?:<!--|\/\/<!\[CDATA\[|<!\[CDATA\[)|(?:-->|\/\/\]\]>|\]\]>)\s*$/g, ''));
  } catch {
    return null;
  }
}

interface Organization {
  readonly node: JsonObject;
  /** True where it is only named as a maker. */
  readonly credit: boolean;
}

/** Organisation-like nodes at any depth: arrays, `@graph` and nested ones alike. */
function organizations(json: unknown): Organization[] {
  const found: Organization[] = [];
  const todo: { readonly value: unknown; readonly credit: boolean }[] = [{ value: json, credit: false }];
  for (let seen = 0; seen < MAX_NODES; seen += 1) {
    const next = todo.pop();
    if (!next) break;
    const { value, credit } = next;
    if (Array.isArray(value)) for (const item of value) todo.push({ value: item, credit });
    else if (isObject(value)) {
      if (isOrganization(value)) found.push({ node: value, credit });
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner === 'object') todo.push({ value: inner, credit: credit || MAKER_PROPERTIES.has(name) });
      }
    }
  }
  return found;
}

/** A person may have a tax id too; a node that has one and no type is taken for an organisation. */
function isOrganization(node: JsonObject): boolean {
  const types = [node['@type']].flat().filter((type) => typeof type === 'string');
  return types.some((type) => ORGANIZATION.test(type)) || (types.length === 0 && (node.taxID !== undefined || node.vatID !== undefined));
}

function idsOf(node: JsonObject): { readonly property: string; readonly value: string }[] {
  return ['taxID', 'vatID', 'identifier'].flatMap((property) =>
    [node[property]]
      .flat()
      .map((value) => (isObject(value) ? value.value : value))
      .flatMap((value) => (typeof value === 'string' || typeof value === 'number' ? [{ property, value: String(value) }] : [])),
  );
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_SNIPPET = 160;
/** An e-mail address, a telephone, a CPF, or a RUT that is a person's: its number is shorter than eight digits, or begins with 1 to 4. */
const PERSONAL =
  /[^\s@<>()]+@[^\s@<>(),;]+|(?:\+\d|\(\d{2,3}\) ?\d)[\d ()-]{6,}\d|(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)|(?<![\d.])(?:[1-4]?\d\.\d{3}\.\d{3}|[1-4]?\d{7}) ?- ?[\dk](?![\da-z])/gi;

/** The last words of a text, for a person to judge by: those after the last thing that is a person's, whose name stands before it. */
function snippetOf(text: string): string {
  const shown = plain((text.split(PERSONAL).at(-1) ?? '').replace(/^[\s,;.:)/-]+/, ''));
  return shown.length > MAX_SNIPPET ? `…${shown.slice(-MAX_SNIPPET)}` : shown;
}
