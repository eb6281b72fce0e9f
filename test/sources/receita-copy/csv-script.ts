/*
 * A plain script over the CSV files of a month, which shares no code with the service: it computes records, companies of an owner and paths
 * as a reader of the publisher's layout would.
 */

type Cells = readonly string[];

/** An owner: `company ROOT`, or `person CPF NAME` by the masked CPF and the letters of the name. */
type Node = string;

export const companyNode = (root: string): Node => `company ${root}`;
export const personNode = (document: string, name: string): Node =>
  `person ${document} ${name
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '')}`;

const STATUSES: Readonly<Record<string, string>> = { '01': 'NULA', '02': 'ATIVA', '03': 'SUSPENSA', '04': 'INAPTA', '08': 'BAIXADA' };

/** The rows of the files. */
export interface CsvMonth {
  readonly roots: readonly string[];
  /** People with a CPF. */
  readonly people: readonly { readonly document: string; readonly name: string }[];
  /** Roots of companies that are partners. */
  readonly owners: readonly string[];
  cnpjOf(root: string): string;
  /** The part of a record that the CSV files state in one field each. */
  recordOf(root: string): object;
  /** CNPJs of the companies of an owner, in order. */
  ownedBy(owner: Node): readonly string[];
  /** Number of edges of a shortest path; null if it has more than `max`. */
  distance(from: string, to: string, max: number): number | null;
}

const cellsOf = (text: string): readonly Cells[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(1, -1).split('";"'));

const iso = (date: string): string | null => (/[1-9]/.test(date) ? `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}` : null);
const masked = (name: string): string => name.replace(/(?<!\d)\d{3}(\d{6})\d{2}(?!\d)/g, '***$1**');

/** @param files texts of the files by name */
export function readCsvMonth(files: ReadonlyMap<string, string>): CsvMonth {
  const rowsOf = (kind: string): readonly Cells[] =>
    [...files].filter(([name]) => name.startsWith(kind)).flatMap(([, text]) => cellsOf(text));
  const companies = new Map(rowsOf('Empresas').map((row) => [row[0] ?? '', row]));
  const heads = new Map(rowsOf('Estabelecimentos').flatMap((row) => (row[3] === '1' ? [[row[0] ?? '', row] as const] : [])));
  const partners = rowsOf('Socios');
  const partnersOf = Map.groupBy(partners, ([root = '']) => root);

  function nodeOf([, kind, name = '', document = '']: Cells): Node | null {
    if (kind === '1') return companyNode(document.slice(0, 8));
    return kind === '2' && document !== '' && name !== '' ? personNode(document, name) : null;
  }
  const owned = new Map<Node, Set<string>>();
  const neighbours = new Map<Node, Set<Node>>();
  const add = <T>(map: Map<Node, Set<T>>, key: Node, value: T) => map.set(key, (map.get(key) ?? new Set()).add(value));
  for (const row of partners) {
    const [root = ''] = row;
    const node = nodeOf(row);
    if (node === null) continue;
    add(owned, node, root);
    add(neighbours, node, companyNode(root));
    add(neighbours, companyNode(root), node);
  }
  const cnpjOf = (root: string): string => (heads.get(root) ?? []).slice(0, 3).join('');
  /** The head office of a partner whose row has the root of its CNPJ only. */
  const documentOf = (kind: string | undefined, document: string): string | null =>
    document === '' ? null : kind === '1' && document.length === 8 ? cnpjOf(document) : document;

  return {
    roots: [...companies.keys()],
    people: partners.flatMap(([, kind, name = '', document = '']) => (kind === '2' && document !== '' ? [{ document, name }] : [])),
    owners: [...new Set(partners.flatMap(([, kind, , document = '']) => (kind === '1' ? [document.slice(0, 8)] : [])))],
    cnpjOf,
    recordOf(root) {
      const [company = [], head = []] = [companies.get(root), heads.get(root)];
      return {
        ...{ cnpj: cnpjOf(root), legalName: masked(company[1] ?? ''), nature: company[2], capital: Number(company[4]?.replace(',', '.')) },
        ...{ registration: STATUSES[head[5] ?? ''], registrationSince: iso(head[6] ?? ''), openedOn: iso(head[10] ?? ''), isBranch: false },
        ...{ activityCode: head[11], state: head[19] },
        partners: (partnersOf.get(root) ?? [])
          .map(([, kind, name, document = '', role, since = '']) => ({
            kind,
            name: kind === '1' ? companies.get(document.slice(0, 8))?.[1] : name,
            document: documentOf(kind, document),
            role,
            since: iso(since),
          }))
          .map((one) => JSON.stringify(one))
          .sort(),
      };
    },
    ownedBy: (owner) => [...(owned.get(owner) ?? [])].map(cnpjOf).sort(),
    distance(from, to, max) {
      const seen = new Set([companyNode(from)]);
      let level = [...seen];
      for (let length = 0; length <= max; length += 1) {
        if (level.includes(companyNode(to))) return length;
        const next = new Set(level.flatMap((node) => [...(neighbours.get(node) ?? [])]).filter((node) => !seen.has(node)));
        for (const node of next) seen.add(node);
        level = [...next];
      }
      return null;
    },
  };
}
