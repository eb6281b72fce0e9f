import type { SandboxCompany } from '../../world/brazil/company.ts';
import { ACTIVITIES, COUNTRIES, NATURES, PLACES, REASONS, ROLES } from '../../world/brazil/tables.ts';

/** Contents of the files of one month, by name, in the registry's layout: no header, `;`, every field quoted. */
export type MonthTexts = ReadonlyMap<string, string>;

/** Writes a line of a file. */
export const line = (cells: readonly (string | number)[]): string => `${cells.map((cell) => `"${cell}"`).join(';')}\n`;
const day = (iso: string | null): string => iso?.replaceAll('-', '') ?? '00000000';
/** Writes a code with its left zeros. */
export const padded = (code: number | string, digits: number): string => String(code).padStart(digits, '0');
const flag = (value: boolean | null): string => (value ? 'S' : 'N');

/**
 * Writes the companies that the registry knows. As in the registry's files, the company and its establishments are in files of different
 * numbers, some texts have NUL characters and repeated blanks, and the codes 32 and 367 are missing in their tables.
 */
export function monthTexts(known: readonly SandboxCompany[]): MonthTexts {
  const heads = [...Map.groupBy(known, ({ cnpj }) => cnpj.slice(0, 8)).values()].map(
    (same) => same.find(({ isBranch }) => !isBranch) ?? (same[0] as SandboxCompany),
  );
  const half = (number: number) => (_: unknown, i: number) => i % 2 === number;
  return new Map([
    ...lookupTexts(),
    [
      'Simples',
      heads
        .filter(({ simples, mei }) => simples !== null || mei !== null)
        .map(regime)
        .join(''),
    ],
    ...[0, 1].map((number) => [`Empresas${number}`, heads.filter(half(number)).map(company).join('')] as const),
    ...[0, 1].map(
      (number) =>
        [
          `Estabelecimentos${number}`,
          known
            .filter(half(1 - number))
            .map(establishment)
            .join(''),
        ] as const,
    ),
    ...[0, 1].map((number) => [`Socios${number}`, heads.filter(half(number)).flatMap(partners).join('')] as const),
  ]);
}

/** Writes the tables of codes. */
export const lookupTexts = (): MonthTexts =>
  new Map([
    ['Cnaes', lookup(ACTIVITIES, 7)],
    ['Motivos', lookup(REASONS, 2)],
    [
      'Municipios',
      Object.entries(PLACES)
        .map(([name, { siafi }]) => line([siafi, name]))
        .join(''),
    ],
    ['Naturezas', lookup(NATURES, 4)],
    ['Paises', lookup(COUNTRIES, 3)],
    ['Qualificacoes', lookup(ROLES, 2)],
  ]);

const lookup = (names: Readonly<Record<string, string | null>>, digits: number): string =>
  Object.entries(names)
    .filter(([, name]) => name !== null)
    .map(([code, name]) => line([padded(code, digits), name ?? '']))
    .join('');

const company = ({ cnpj, name, nature, partners, capital, size, publicOwner }: SandboxCompany): string =>
  line([
    cnpj.slice(0, 8),
    name.replace(' ', '  '),
    nature,
    padded(partners?.[0]?.role ?? 50, 2),
    capital.toFixed(2).replace('.', ','),
    padded(size, 2),
    publicOwner,
  ]);

function establishment(company: SandboxCompany): string {
  const { cnpj, place, abroad, special } = company;
  const { uf, siafi, cep, ddd } = PLACES[place];
  return line([
    ...[cnpj.slice(0, 8), cnpj.slice(8, 12), cnpj.slice(12), company.isBranch ? 2 : 1, company.tradeName, padded(company.status, 2)],
    ...[day(company.statusSince), padded(company.reason, 2), abroad?.city ?? '', abroad ? padded(abroad.country, 3) : ''],
    ...[day(company.openedOn), company.activity, (company.otherActivities ?? []).join(','), 'RUA', 'DOS EXEMPLOS', 'S/N', '\0'],
    ...['BAIRRO INVENTADO', cep, uf, siafi, ddd, ddd && `3${cnpj.slice(0, 7)}`, '', '', '', ''],
    ...[`contato@${cnpj.slice(0, 8).toLowerCase()}.example`, special?.situation ?? '', special ? day(special.since) : ''],
  ]);
}

const partners = ({ cnpj, partners }: SandboxCompany): readonly string[] =>
  (partners ?? []).map((partner) =>
    line([
      ...[cnpj.slice(0, 8), partner.kind, partner.name, partner.document, padded(partner.role, 2), day(partner.since)],
      ...[partner.country ? padded(partner.country, 3) : '', partner.representative?.document ?? '***000000**'],
      ...[partner.representative?.name ?? '', padded(partner.representative?.role ?? 0, 2), partner.ageBand],
    ]),
  );

const regime = ({ cnpj, openedOn, simples, mei }: SandboxCompany): string =>
  line([
    ...[cnpj.slice(0, 8), flag(simples), day(simples === null ? null : openedOn), simples === false ? '20201231' : '00000000'],
    ...[flag(mei), day(mei ? openedOn : null), '00000000'],
  ]);
