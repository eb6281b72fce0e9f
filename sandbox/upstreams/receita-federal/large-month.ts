import {
  companyAt,
  establishmentsOf,
  type LargeCompany,
  type LargeEstablishment,
  type LargePartner,
  type LargeRegistry,
  partnersOf,
} from '../../world/brazil/large/registry.ts';
import { line, lookupTexts, padded } from './share-rows.ts';

/** Numbers of the files of each kind. The companies of a file and their establishments are in files of different numbers. */
const NUMBERS = [0, 1, 2, 3] as const;
/** UTF-16 units after which a part of a file is yielded. */
const PART = 64 * 1024;

/** The files of one month by name, without `.zip`. Each reading yields the same parts of its text, in Latin-1, and takes little memory. */
export function largeMonth(registry: LargeRegistry): ReadonlyMap<string, () => Generator<string, void, void>> {
  const numbered = (kind: string, shift: number, linesOf: (company: LargeCompany) => string) =>
    NUMBERS.map((number) => [`${kind}${number}`, () => parts(registry, (number + shift) % NUMBERS.length, linesOf)] as const);
  const simples = (company: LargeCompany): string => (company.isTrader || company.serial % 3 === 0 ? regime(company) : '');
  return new Map([
    ...[...lookupTexts()].map(([name, text]) => [name, () => once(text)] as const),
    ['Simples', () => parts(registry, null, simples)] as const,
    ...numbered('Empresas', 0, companyLine),
    ...numbered('Estabelecimentos', 1, (company) => establishmentsOf(company, registry).map(establishmentLine).join('')),
    ...numbered('Socios', 2, (company) =>
      partnersOf(company, registry)
        .map((partner) => partnerLine(company, partner))
        .join(''),
    ),
  ]);
}

function* once(text: string): Generator<string, void, void> {
  yield text;
}

/** Yields the lines of the companies of one number; null for all. */
function* parts(registry: LargeRegistry, number: number | null, linesOf: (company: LargeCompany) => string): Generator<string, void, void> {
  let part = '';
  for (let serial = number ?? 0; serial < registry.companies; serial += number === null ? 1 : NUMBERS.length) {
    part += linesOf(companyAt(serial, registry));
    if (part.length < PART) continue;
    yield part;
    part = '';
  }
  yield part;
}

const companyLine = ({ root, name, nature, capital, size }: LargeCompany): string =>
  line([root, name, nature, nature === 2135 ? '50' : '49', `${capital},00`, padded(size, 2), '']);

function establishmentLine(one: LargeEstablishment): string {
  const { root, branch, digits, place, contact } = one;
  const { uf, siafi, cep, ddd } = place;
  return line([
    ...[root, branch, digits, branch === '0001' ? 1 : 2, one.tradeName, padded(one.status, 2), one.since, one.status === 2 ? '00' : '01'],
    ...['', '', one.openedOn, one.activity, one.otherActivities.join(',')],
    ...['RUA', 'DOS EXEMPLOS', contact % 3_000, contact % 4 === 0 ? `SALA ${contact % 90}` : '', 'BAIRRO INVENTADO', cep, uf, siafi],
    ...[ddd, 30_000_000 + (contact % 9_999_999), contact % 3 === 0 ? ddd : '', contact % 3 === 0 ? 20_000_000 + (contact % 8_888_888) : ''],
    ...['', '', `CONTATO@${root}.EXAMPLE`, '', ''],
  ]);
}

const partnerLine = ({ root }: LargeCompany, { kind, name, document, role, since }: LargePartner): string =>
  line([root, kind, name, document, role, since, kind === 3 ? '158' : '', '***000000**', '', '00', kind === 2 ? '5' : '0']);

const regime = ({ root, isTrader }: LargeCompany): string =>
  line([root, 'S', '20150101', '00000000', isTrader ? 'S' : 'N', isTrader ? '20150101' : '00000000', '00000000']);
