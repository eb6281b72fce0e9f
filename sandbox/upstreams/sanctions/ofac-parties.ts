import { formatCnpj, formatRut, nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { cnpjOf, madeUpCpf } from '../../world/brazil/company.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import { chileanByScenario } from '../../world/chile/world.ts';
import { SHARED_DIGITS } from '../../world/foreign-companies.ts';

/** A party of the fictional OFAC list, before it is written as XML or CSV. ASCII only, as in OFAC's files. */
export interface OfacParty {
  readonly uid: number;
  readonly type: 'Entity' | 'Individual' | 'Vessel' | 'Aircraft';
  /** Full name; the family name of a person. */
  readonly name: string;
  readonly givenName: string;
  readonly title: string;
  readonly programs: readonly string[];
  readonly ids: readonly OfacId[];
  readonly aliases: readonly OfacAlias[];
  readonly addresses: readonly OfacAddress[];
  /** Call sign, type, flag, owner, tonnage, gross registered tonnage; empty if unknown. */
  readonly vessel: readonly [string, string, string, string, string, string] | null;
  /** Dates of birth of a person, as printed. In the csv they are remarks, like nationalities. */
  readonly births: readonly string[];
  /** Countries in English. */
  readonly nationalities: readonly string[];
  /** The other remarks, one per element. */
  readonly remarks: readonly string[];
}

export interface OfacId {
  readonly type: string;
  /** Number as printed. */
  readonly number: string;
  /** Country in English; null for none. */
  readonly country: string | null;
}

export interface OfacAlias {
  readonly kind: 'a.k.a.' | 'f.k.a.' | 'n.k.a.';
  readonly name: string;
  /** True for an alias too short or too common for screening. Weak aliases are in the csv's remarks, strong ones in ALT.CSV. */
  readonly weak: boolean;
}

export interface OfacAddress {
  readonly street: string;
  readonly city: string;
  readonly country: string;
}

export const id = (type: string, number: string, country: string | null = null): OfacId => ({ type, number, country });
export const strong = (name: string, kind: OfacAlias['kind'] = 'a.k.a.'): OfacAlias => ({ name, kind, weak: false });
export const weak = (name: string, kind: OfacAlias['kind'] = 'a.k.a.'): OfacAlias => ({ name, kind, weak: true });
export const at = (city: string, country: string, street = ''): OfacAddress => ({ street, city, country });

/** Creates a party with defaults: an entity without ids, aliases and addresses. */
export const party = (uid: number, name: string, programs: readonly string[], rest: Partial<OfacParty> = {}): OfacParty => ({
  uid,
  type: 'Entity',
  name,
  givenName: '',
  title: '',
  programs,
  ids: [],
  aliases: [],
  addresses: [],
  vessel: null,
  births: [],
  nationalities: [],
  remarks: [],
  ...rest,
});

const brazil = at('Sao Paulo', 'Brazil', 'Rua dos Exemplos 1');
const colombia = at('Macondo', 'Colombia');

/** A company of the fictional world, with its CNPJ punctuated. */
function brazilian(uid: number, scenario: string, country: string | null = 'Brazil'): OfacParty {
  const { name, cnpj } = companyByScenario(scenario);
  return party(uid, name, ['SDNTK'], { ids: [id('Tax ID No.', formatCnpj(cnpj), country)], addresses: [brazil] });
}

const nit = (uid: number, name: string, number: string, rest: Partial<OfacParty> = {}): OfacParty =>
  party(uid, name, ['SDNTK'], { ids: [id('NIT #', number, 'Colombia')], addresses: [colombia], ...rest });

/** Brazilian parties: by head office, by branch, without a country, with letters in the CNPJ. */
const brazilians: readonly OfacParty[] = [
  { ...brazilian(990_001, 'sanctioned'), aliases: [strong('FURA BLOQUEIO'), weak('FB')] },
  party(990_002, 'OURO DE TOLO MINERACAO LTDA', ['GLOMAG', 'SDNTK'], {
    ids: [id('Tax ID No.', formatCnpj(cnpjOf('99030031', '0002')), 'Brazil')],
    addresses: [at('Cuiaba', 'Brazil')],
  }),
  brazilian(990_003, 'sanctioned-no-country', null),
  brazilian(990_004, 'sanctioned-alphanumeric'),
  brazilian(990_005, 'worst'),
  brazilian(990_006, 'sanctioned-unknown'),
];

/** Colombian parties: a NIT in every format of the real list, one with a wrong check digit. */
const colombianCompanies: readonly OfacParty[] = [
  nit(990_010, 'COMERCIALIZADORA MACONDO FICTICIO LTDA.', `999200001-${nitCheckDigit('999200001')}`, {
    aliases: [strong('COMACONDO LTDA.')],
  }),
  nit(990_011, 'INVERSIONES DOS PATRIAS S.A.S.', `${SHARED_DIGITS}${nitCheckDigit(SHARED_DIGITS)}`),
  nit(990_012, 'AGROPECUARIA SIN DIGITO LTDA.', '999200002'),
  nit(990_013, 'DIGITO EQUIVOCADO Y CIA. S. EN C.', '999200003-9'),
  nit(990_014, 'ETIQUETA REPETIDA S.A.', `NIT 999200004-${nitCheckDigit('999200004')}`, { programs: ['SDNT'] }),
  // The remarks exceed the limit of the csv in the middle of the NIT.
  nit(990_015, 'RED LARGUISIMA DE EMPRESAS INVENTADAS S.A.S.', `999200005-${nitCheckDigit('999200005')}`, {
    ids: [id('Matricula Mercantil No', '99000123', 'Cali'), id('NIT #', `999200005-${nitCheckDigit('999200005')}`, 'Colombia')],
    remarks: Array.from({ length: 17 }, (_, i) => `Linked To: EMPRESA INVENTADA DE LA GRAN RED NUMERO ${101 + i}`),
  }),
];

/** Parties with id types of other countries: with labels, dashes and `#` as in the real list. */
const latins: readonly OfacParty[] = [
  party(990_020, 'TIENDAS DEL QUETZAL INVENTADO', ['SDNTK'], {
    ids: [id('NIT #', '9900012-K', 'Guatemala')],
    addresses: [at('Guatemala City', 'Guatemala')],
  }),
  party(990_021, 'TRANSPORTES EL CACTUS FICTICIO, S.A. DE C.V.', ['ILLICIT-DRUGS-EO14059'], {
    ids: [id('R.F.C.', 'TCF-990101-AB1', 'Mexico')],
  }),
  party(990_022, 'GRUPO NOPAL INEXISTENTE, S. DE R.L.', ['SDNTK'], {
    ids: [id('R.F.C.', '# GNI-990102-AB2', 'Mexico'), id('Folio Mercantil No.', '99001', 'Mexico')],
  }),
  party(990_023, 'PETROLEOS DE MENTIRA C.A.', ['VENEZUELA-EO13850'], { ids: [id('RIF #', 'J-99000001-1', 'Venezuela')] }),
  party(990_024, 'ARROZ IMAGINARIO C.A.', ['VENEZUELA'], { ids: [id('Tax ID No.', 'RIF J-99000002-2')] }),
  party(990_025, 'PESQUERA DEL PAPEL S.A.C.', ['SDNTK'], { ids: [id('RUC #', '20999000011', 'Peru')], addresses: [at('Lima', 'Peru')] }),
  party(990_026, 'CANAL DE NADA CORP.', ['SDNTK'], {
    ids: [id('RUC #', '9900001-1-990001', 'Panama')],
    addresses: [at('Panama City', 'Panama')],
  }),
  party(990_027, 'CIGARRILLOS DE HUMO S.A.', ['GLOMAG'], { ids: [id('Paraguayan tax identification number', '80099001-9', 'Paraguay')] }),
  party(990_028, 'VIAJES AL SUR INVENTADO S.R.L.', ['CUBA'], { ids: [id('C.U.I.T.', '30-99000001-3', 'Argentina')] }),
  party(990_029, 'MINERA DEL DESIERTO DE PAPEL', ['SDNTK'], { addresses: [at('Santiago', 'Chile', 'Avenida Inventada 100')] }),
  party(990_031, chileanByScenario('cl-sanctioned').name, ['SDNTK'], {
    ids: [id('R.U.T.', formatRut(chileanByScenario('cl-sanctioned').rut), 'Chile')],
    addresses: [at('Santiago', 'Chile')],
  }),
  party(990_030, 'CONSTRUCTORA ISLA FICTICIA S.R.L.', ['GLOMAG'], { ids: [id('Tax ID No.', '999-00001-1', 'Dominican Republic')] }),
];

/** Parties of other regions, people, a ship and an aircraft. */
const others: readonly OfacParty[] = [
  party(990_040, 'CONDOR IMAGINARIO TRADING LTDA', ['SDGT'], {
    aliases: [strong('CONDOR TRADING', 'f.k.a.')],
    addresses: [at('Colon', 'Panama')],
  }),
  party(990_041, 'UCH ZVEZDY SRL', ['SDGT'], {
    aliases: [weak('TRES ESTRELAS LTDA'), weak('TE')],
    addresses: [at('Ciudad del Este', 'Paraguay')],
  }),
  party(990_042, 'OBSHCHESTVO S OGRANICHENNOI OTVETSTVENNOSTYU VYDUMKA', ['RUSSIA-EO14024'], {
    ids: [id('Tax ID No.', '9900000001', 'Russia'), id('Registration Number', '9990000000001', 'Russia')],
    aliases: [strong('VYDUMKA LLC'), strong('OOO VYDUMKA')],
  }),
  party(990_043, 'AKTSIONERNOE OBSHCHESTVO NIGDE', ['RUSSIA-EO14024'], {
    ids: [id('Tax ID No.', '9900000002')],
    remarks: ['Organization Established Date 01 Jan 1999'],
  }),
  party(990_044, 'SHERKAT-E KHIALI TEJARAT', ['IRAN', 'NPWMD', 'IFSR'], {
    ids: [id('National ID No.', '99000000001', 'Iran')],
    remarks: ['Additional Sanctions Information - Subject to Secondary Sanctions'],
  }),
  party(990_045, 'XUGOU DIANZI YOUXIAN GONGSI', ['DPRK4'], {
    ids: [id('Unified Social Credit Code (USCC)', '99XUGOU00000000001', 'China')],
  }),
  party(990_050, 'EJEMPLO INVENTADO', ['SDNTK'], {
    type: 'Individual',
    givenName: 'Pedro',
    ids: [id('Cedula No.', '99000001', 'Colombia'), id('NIT #', `999200001-${nitCheckDigit('999200001')}`, 'Colombia')],
    aliases: [weak('EL EJEMPLO')],
    births: ['01 Jan 1970', 'circa 1971'],
    nationalities: ['Colombia'],
    remarks: ['POB Macondo, Colombia'],
  }),
  party(990_051, 'DE TAL', ['SDNTK'], {
    type: 'Individual',
    givenName: 'Fulano',
    title: 'Director of IMPORTADORA FURA BLOQUEIO LTDA',
    ids: [id('Tax ID No.', madeUpCpf(501), 'Brazil'), id('Passport', 'ZZ000001', 'Brazil')],
    births: ['02 Feb 1980'],
  }),
  party(990_052, 'VYDUMANNY', ['RUSSIA-EO14024', 'CYBER2'], {
    type: 'Individual',
    givenName: 'Ivan',
    aliases: [strong('VYDUMANNYI, Ivan')],
  }),
  party(990_060, 'PAPER BOAT', ['CUBA'], {
    type: 'Vessel',
    ids: [id('Vessel Registration Identification', 'IMO 9990001')],
    aliases: [weak('SAND DUCK', 'f.k.a.')],
    vessel: ['ZZ0001', 'General Cargo', 'Panama', 'Naviera de Papel S.A.', '2595', '1865'],
  }),
  party(990_061, 'ZZ-0000', ['VENEZUELA'], { type: 'Aircraft', remarks: ['Aircraft Model Paper Plane'] }),
];

/** The fictional SDN list, in the order of the file. */
export const ofacParties: readonly OfacParty[] = [...brazilians, ...colombianCompanies, ...latins, ...others];
