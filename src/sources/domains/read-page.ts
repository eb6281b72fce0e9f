import { maskCpfs } from '../../domain/personal-ids.ts';
import type { PageSightings, Sighting, SightingKind } from './owner.ts';
import { type PageDocument, type PageLine, plain } from './page-document.ts';
import { followsLabel, type PageCountry, precedesLabel, readTaxNumber, type TaxNumber, taxNumbers } from './tax-numbers.ts';

/** Maximum number of tax ids read per page. A directory of companies has thousands, and none of them owns it for that reason. */
const MAX_NUMBERS = 200;
/** Maximum number of characters of a company's name in structured data that are read. */
const MAX_NAME = 500;
/** Number of characters before a number that are read as its context. */
const CONTEXT_CHARACTERS = 400;
const COMPANY_SUFFIX = /\b(?:spa|ltda|limitada|s\.?a|s\/a|e\.?i\.?r\.?l|s\.a\.s|eireli|sociedad an[oó]nima)\b/i;
/** Abbreviations of small companies. They are matched in capitals only, because `me` is also a Spanish word. */
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
/** Separators between statements of one line. */
const BREAK = /[|·•;©]|(?<=\p{Ll}{3})\. /u;

/** Returns the tax ids of a page, each with its kind and whether it is in a credit; at most 200. */
export function readPage({ title, lines, jsonLd }: PageDocument, url: string, country: PageCountry): PageSightings {
  const inText: Sighting[] = [];
  // Reads lines from the last to the first: footers are the best evidence, and the number of tax ids is limited.
  for (let i = lines.length - 1, found = 0; i >= 0 && found < MAX_NUMBERS; i -= 1) {
    const line = lines[i] as PageLine;
    const numbers = taxNumbers(line.text, country).slice(0, MAX_NUMBERS);
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

/** Returns the kind of a mention; null when neither a label nor a company's name is beside the number. */
function kindOf({ punctuated }: TaxNumber, { words, after, inFooter }: Surroundings, country: PageCountry): SightingKind | null {
  if (followsLabel(words, country) || precedesLabel(after, country)) return inFooter ? 'footer' : 'label';
  return punctuated && (COMPANY_SUFFIX.test(words) || SMALL_COMPANY.test(words)) ? 'unlabelled' : null;
}

const statements = (text: string): string[] => text.slice(-CONTEXT_CHARACTERS).split(BREAK);

/** Returns the last statement; if that is only a label in a separate cell or line, together with the one before. */
function lastWords(all: readonly string[]): string {
  const last = all.findLastIndex((one) => /\p{L}{5}/u.test(one.replace(/rol [uú]nico tributario/iu, '')));
  return all.slice(Math.max(last, 0)).join(' ');
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Types of schema.org that are organisations, including kinds of shops and offices. */
const ORGANIZATION =
  /Organization|Corporation|Business|Company|Store|Shop|Restaurant|Hotel|Lodging|School|University|Clinic|Hospital|Agency|NGO|Airline|Service$/;
/** Properties whose value created the page or a part of it, and thus need not own it. */
const MAKER_PROPERTIES = new Set(['creator', 'author', 'contributor', 'maintainer', 'producer', 'sdPublisher']);
/** Maximum number of JSON-LD nodes searched. A shop may describe thousands of products; its own node is near the top. */
const MAX_NODES = 5_000;

/** Returns the tax ids of organisations in a page's JSON-LD: valid values of `taxID`, `vatID` and `identifier`. Blocks that do not parse are skipped. */
function structuredIds(blocks: readonly string[], country: PageCountry): Sighting[] {
  return blocks
    .flatMap((block) => organizations(parse(block)))
    .flatMap(({ node, credit }) =>
      idsOf(node)
        .slice(0, MAX_NUMBERS)
        .flatMap(({ property, value }) => {
          const taxId = readTaxNumber(plain(value), country);
          const name = typeof node.name === 'string' ? `${plain(node.name.slice(0, MAX_NAME))}, ` : '';
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
  /** True if the organisation is only listed as a maker of the page. */
  readonly credit: boolean;
}

/** Returns organisation nodes at any depth: in arrays, `@graph` and nested objects. */
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

/**
 * True for a node of an organisation type, or without any type but with a tax id. Persons, who may have a tax id too, are excluded by
 * their type.
 */
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
/**
 * Matches an e-mail address, a telephone number, a masked CPF, or a RUT that is a person's: its number is shorter than eight digits, or
 * begins with 1 to 4.
 */
const PERSONAL =
  /[^\s@<>()]+@[^\s@<>(),;]+|(?:\+\d|\(\d{2,3}\) ?\d)[\d ()-]{6,}\d|\*{3}\d{6}\*{2}|(?<![\d.])(?:[1-4]?\d\.\d{3}\.\d{3}|[1-4]?\d{7}) ?- ?[\dk](?![\da-z])/gi;

/**
 * Returns the last words of a text as evidence for a human reader. It removes everything up to the last piece of personal data, because a
 * person's name usually precedes it.
 */
function snippetOf(text: string): string {
  const shown = plain((maskCpfs(text).split(PERSONAL).at(-1) ?? '').replace(/^[\s,;.:)/-]+/, ''));
  return shown.length > MAX_SNIPPET ? `…${shown.slice(-MAX_SNIPPET)}` : shown;
}
