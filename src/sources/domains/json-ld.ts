import { plain } from './markup.ts';
import type { Sighting } from './sighting.ts';
import { snippetOf } from './snippet.ts';
import { type PageCountry, readTaxNumber } from './tax-numbers.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Types of schema.org that are organisations, and the kinds of shops and offices below them. */
const ORGANIZATION =
  /Organization|Corporation|Business|Company|Store|Shop|Restaurant|Hotel|Lodging|School|University|Clinic|Hospital|Agency|NGO|Airline|Service$/;
/** Whose node hangs there made the page, or part of it. */
const MAKER = new Set(['creator', 'author', 'contributor', 'maintainer', 'producer', 'sdPublisher']);
/** A shop may describe thousands of products; its own node stands near the top. */
const MOST_NODES = 5_000;

/** Tax ids of organisations in a page's JSON-LD: `taxID`, `vatID`, and `identifier` where it is a valid one. Blocks that do not parse are passed over. */
export function structuredIds(blocks: readonly string[], country: PageCountry): Sighting[] {
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
  for (let seen = 0; seen < MOST_NODES; seen += 1) {
    const next = todo.pop();
    if (!next) break;
    const { value, credit } = next;
    if (Array.isArray(value)) for (const item of value) todo.push({ value: item, credit });
    else if (isObject(value)) {
      if (isOrganization(value)) found.push({ node: value, credit });
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner === 'object') todo.push({ value: inner, credit: credit || MAKER.has(name) });
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
