import type { Variation } from './name-variants.ts';

/**
 * Variations of a listed name by a form, a scanner, a translator or someone who wants to avoid detection. They share no table with the
 * comparison. A person would say that it is the same name.
 */

const FORM =
  'LTDA|LIMITADA|S\\.?A\\.?S|S\\.?A|S\\.?P\\.?A|LIMITED LIABILITY COMPANY|(?:PRIVATE|PUBLIC|OPEN|CLOSED)?[ -]*JOINT[ -]STOCK (?:COMPANY|CO)|PRIVATE LIMITED|LIMITED|LTD|LLC|INC|C\\.A|S\\. DE R\\.L|E\\.U|CORP|CO|COMPANY|S\\.A\\. DE C\\.V|GMBH|SARL|SAL|FZE|FZCO|[A-Z]?JSC|[OPZ]?AO|OOO|E?AD|E?OOD|DOO|PLC|SRL|OBSHCHESTVO S OGRANICHENNOI OTVETSTVENNOSTYU|(?:OTKRYTOE |ZAKRYTOE |PUBLICHNOE )?AKTSIONERNOE OBSHCHESTVO|JOINT STOCK|(?:ANONIM|LIMITED) SIRKETI|INCORPORATED|CORPORATION|PVT|S\\.?C\\.?S|COMPANY';
const AT_END = new RegExp(`(?:[\\s,]+\\(?(?:${FORM})\\.?\\)?)+$`);
const IN_FRONT = new RegExp(`^(?:(?:${FORM})\\.?[\\s,]+)+`);

/** Returns a name without the legal forms at its ends, and without parentheses. */
export const core = (name: string): string =>
  name
    .replace(/\s*\([^)]*\)/g, '')
    .replace(AT_END, '')
    .replace(IN_FRONT, '');

const pick = <T>(all: readonly T[], random: () => number): T => all[Math.floor(random() * all.length)] as T;
const list = (text: string): readonly string[] => text.split('|');

/** Changes a word of the core of at least `least` letters, the longest or any; null if there is none or nothing changes. */
function inWord(name: string, least: number, random: () => number, change: (word: string) => string): string | null {
  const words = (core(name).match(/[A-Z]+/g) ?? []).filter((word) => word.length >= least).toSorted((a, b) => b.length - a.length);
  const word = random() < 0.5 ? words[0] : pick(words, random);
  if (word === undefined) return null;
  const changed = change(word);
  return changed === word ? null : name.replace(new RegExp(`\\b${word}\\b`), changed);
}

/** Replaces one of the letters that the table has. */
function oneOf(table: Readonly<Record<string, string>>, count: number): (word: string, random: () => number) => string {
  return (word, random) => {
    let text = word;
    for (let i = 0; i < count; i += 1) {
      const from = Object.keys(table).filter((part) => text.slice(1).includes(part));
      if (from.length === 0) break;
      const part = pick(from, random);
      text = text.charAt(0) + text.slice(1).replace(part, table[part] as string);
    }
    return text;
  };
}

const DIGITS = { O: '0', I: '1', L: '1', S: '5' };
const MISREAD = { RN: 'M', M: 'RN', CL: 'D', VV: 'W', W: 'VV', I: 'L', L: 'I', O: 'Q', U: 'V', E: 'F' };
const LOOKALIKES = { A: 'А', E: 'Е', O: 'О', P: 'Р', C: 'С', X: 'Х', T: 'Т', H: 'Н', B: 'В', M: 'М', K: 'К' };
const ROMANISED = {
  KH: 'H',
  ZH: 'J',
  SHCH: 'SCH',
  TS: 'C',
  YA: 'IA',
  YU: 'IU',
  IA: 'YA',
  IY: 'Y',
  EY: 'EI',
  KS: 'X',
  X: 'KS',
  YE: 'E',
  OV: 'OFF',
  AY: 'AI',
  IYE: 'IE',
  J: 'ZH',
};
const ARABIC = {
  OO: 'U',
  EE: 'I',
  OU: 'U',
  Q: 'K',
  KH: 'H',
  DH: 'D',
  GH: 'G',
  AH: 'A',
  AI: 'EI',
  U: 'OU',
  I: 'EE',
  AA: 'A',
  TH: 'T',
  Y: 'I',
};

const CONTRACTIONS = Object.fromEntries(
  list(
    "INTERNATIONAL INTL INT'L INTERN. INTNL|INTERNACIONAL INTL INTERNAC. INTER.|CONSTRUCTORA CONST CONSTR. CONSTRUCT.|CONSTRUCTION CONST CONSTR. CONSTN|CONSTRUCCIONES CONST CONSTR CONSTRUC.|COMPANY CO COY CPNY|COMPANIA CIA COMP.|COMERCIALIZADORA COM COMERCIALIZ. CCIALIZADORA|COMERCIAL COM COML. CCIAL|COMMERCIAL COM COMM. COML|TRANSPORTES TRANSP TPTES. TTES|TRANSPORT TRANSP TPT TRANS.|TRANSPORTATION TRANSP TRANS. TPTN|INDUSTRIAL IND INDL INDUST.|INDUSTRIES IND INDS. INDUST|INDUSTRIAS IND INDS INDUST.|INDUSTRY IND IND.|INVERSIONES INV INVERS. INVS|INVESTMENT INV INVT. INVESTM|INVESTMENTS INV INVTS. INVESTS|SERVICES SVCS SERV SVS|SERVICE SVC SERV SVCE|SERVICIOS SERV SERVS. SERVIC.|TRADING TRDG TRAD. TDG|ENGINEERING ENG ENGG. ENGRG|TECHNOLOGY TECH TECHNOL. TEC|TECHNOLOGIES TECH TECHS TECHNOL|DEVELOPMENT DEV DEVT DEVEL.|DISTRIBUIDORA DIST DISTR. DISTRIB|MANAGEMENT MGMT MGT MNGT|MANUFACTURING MFG MANUF. MANUFG|SHIPPING SHPG SHIPP. SHPNG|GENERAL GEN GRAL GENL|NATIONAL NATL NAT'L NAT.|ASSOCIATION ASSN ASSOC. ASS'N|DEPARTMENT DEPT DEPT. DPT|INSTITUTE INST INST. INSTIT|LABORATORY LAB LAB. LABOR|UNIVERSITY UNIV UNIV. UNIVERS|PETROLEUM PETR PETROL. PETROL|PRODUCTS PROD PRODS. PDTS|EQUIPMENT EQUIP EQPT. EQP|ELECTRONICS ELEC ELECTR. ELECTRON|CORPORATION CORP CORPN. CORPOR|GROUP GRP GR. GP|EXCHANGE EXCH EXCH. XCHANGE|ORGANIZATION ORG ORGN. ORGANIZ|FOUNDATION FDN FOUND. FNDN|FUNDACION FUND FDN. FUNDAC|AGRICOLA AGRIC AGR. AGRIC.|AGROPECUARIA AGROP AGROPEC. AGRO|GANADERIA GANAD GANAD. GDRIA|INMOBILIARIA INMOB INMOB. INMB|SCIENTIFIC SCI SCI. SCIENT|RESEARCH RES RES. RSCH|PRODUCTION PROD PRODN. PROD.|ENTERPRISE ENT ENT. ENTERP|ENTERPRISES ENT ENTS. ENTERPR|FINANCIAL FIN FIN. FINL|INSURANCE INS INS. INSUR|CHEMICAL CHEM CHEM. CHEML|AVIATION AVIATN AVIAT. AVIA|MARITIME MARIT MARIT. MTM|LOGISTICS LOG LOGIST. LOGS",
  ).map((line) => {
    const [word = '', ...short] = line.split(' ');
    return [word, short];
  }),
) as Readonly<Record<string, readonly string[]>>;

const TRANSLATED = Object.fromEntries(
  list(
    'BANK BANCO|GROUP GRUPO|CONSTRUCTION CONSTRUCAO|SERVICES SERVICOS|INDUSTRIES INDUSTRIAS|INVESTMENT INVERSIONES|INTERNATIONAL INTERNACIONAL|NATIONAL NACIONAL|SHIPPING NAVIERA|TRANSPORT TRANSPORTES|TECHNOLOGY TECNOLOGIA|ENERGY ENERGIA|FOUNDATION FUNDACION|CONSTRUCTORA CONSTRUTORA|INVERSIONES INVESTMENTS|SERVICIOS SERVICES|GANADERIA GANADERA|HOLDING HOLDINGS|EXCHANGE CAMBIO|ENGINEERING INGENIERIA|INSTITUTE INSTITUTO|UNIVERSITY UNIVERSIDAD|STEEL ACERO|AGRICOLA AGRICULTURAL|INMOBILIARIA REAL ESTATE|INSURANCE SEGUROS|OIL PETROLEO|MINING MINERIA|CENTER CENTRO|GENERAL GERAL',
  ).map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
) as Readonly<Record<string, string>>;

const FOREIGN = list(
  'GmbH|G.m.b.H.|Sdn Bhd|Sdn. Bhd.|PJSC|P.J.S.C.|FZE|FZ-LLC|FZCO|LLP|Pte Ltd|Pte. Ltd.|K.K.|A.S.|A.Ş.|Tic. Ltd. Sti.|San. ve Tic. A.S.|Tic. Ltd. Şti.|S.à r.l.|Sp. z o.o.|d.o.o.|s.r.o.|a.s.|N.V.|B.V.|Oy|AB|W.L.L.|B.S.C.|S.A.E.|S.A.L.|S.A.L. (Offshore)|Co., Ltd.|Co. W.L.L.|Pvt. Ltd.|(Pvt) Ltd|Pty Ltd|P.L.C.|A/S|ApS|Kft.|EOOD|TOO|UAB|SIA|OÜ|GmbH & Co. KG|DMCC|L.L.C.|JSC|OJSC|CJSC|S.A. de C.V.|S. de R.L. de C.V.|S.p.A.|SE|K.G.|Tbk|Est.|Ltd. Co.|Anonim Şirketi|Limited Şirketi|E.I.R.L.|S.R.L.|SASU|SNC|Lda.|Unipessoal Lda|S.C.A.|d.d.|AD|Kabushiki Kaisha',
);
const FOREIGN_FRONT = list('OOO|ООО|ZAO|OAO|PAO|AO|TOO|PT|CV|UAB|JSC|LLC|PJSC|Firma|OJSC|ОАО|ЗАО|АО|ПАО|FGUP|SIA|ЧП|ИП');
const NOTES = list(
  'EN LIQUIDACION|EM LIQUIDACAO|IN LIQUIDATION|SUCURSAL COLOMBIA|SUCURSAL DEL PERU|SUCURSAL PANAMA|FILIAL 02|MATRIZ|CASA MATRIZ|HEAD OFFICE|BRANCH|BOGOTA|PANAMA|COLOMBIA|BRASIL|CHILE|ANTES COMERCIAL NORTE|EX MOLUKANO LTDA|FORMERLY MOLUKANO|INACTIVA|EM RECUPERACAO JUDICIAL|PROVEEDOR|CLIENTE|NO USAR|DUPLICADO|VER NOTA|OFAC|SDN|BLOQUEADO|GRUPO|USD|CTA CTE|MONEDA EXTRANJERA|AGENCIA MEDELLIN|ESTABELECIMENTO 3|EN REORGANIZACION|BAIXADA|CERRADA',
);
const TAX_IDS = list(
  'NIT 890.123.456-7|NIT. 800123456|CNPJ 12.345.678/0001-95|CNPJ: 12345678000195|RUT 76.123.456-7|RUT: 76123456-7|RFC ABC010203XY1|RUC 20123456789|TAX ID 123456789|NIT 900.456.123|C.N.P.J. 12.345.678/0001-95|R.U.T. 96.543.210-K',
);
const LEADS = list(
  'EMPRESA|FIRMA|GROUP|GRUPO|CIA|CIA.|COMPAÑIA|LA EMPRESA|THE|EMPRESAS|SOCIEDAD|CORPORACION|GRUPO EMPRESARIAL|COMPANHIA|M/S|MESSRS|M/S.|SRES.|SEÑORES|A LA EMPRESA|RAZON SOCIAL|PROVEEDOR',
);
const TAILS = list('GROUP|GRUPO|ENTERPRISES|CORPORATION|GROUP OF COMPANIES|& CO|CIA|COMPANY|Y CIA|GROUP LTD|CORP.|EMPRESAS');

const CYRILLIC: readonly (readonly [RegExp, string])[] =
  'SHCH=Щ ZH=Ж KH=Х TS=Ц CH=Ч SH=Ш YU=Ю YA=Я A=А B=Б V=В G=Г D=Д E=Е Z=З I=И Y=Й K=К L=Л M=М N=Н O=О P=П R=Р S=С T=Т U=У F=Ф H=Х C=К J=ДЖ X=КС W=В Q=К'
    .split(' ')
    .map((pair) => [new RegExp(pair.split('=')[0] as string, 'g'), pair.split('=')[1] as string]);

const words = (name: string): readonly string[] => core(name).split(' ');
const toTable = (name: string, table: Readonly<Record<string, readonly string[] | string>>, random: () => number): string | null => {
  const known = name.split(/[^A-Z]+/).filter((word) => Object.hasOwn(table, word));
  const word = known.length > 0 ? pick(known, random) : undefined;
  if (word === undefined) return null;
  const change = table[word] as readonly string[] | string;
  return name.replace(new RegExp(`\\b${word}\\b`), typeof change === 'string' ? change : pick(change, random));
};

export const HARSH: Readonly<Record<string, Variation>> = {
  'a digit for a letter': (name, random) => inWord(name, 5, random, (word) => oneOf(DIGITS, 1)(word, random)),
  'digits for two letters': (name, random) => inWord(name, 7, random, (word) => oneOf(DIGITS, 2)(word, random)),
  'digits for all O, I and S': (name) => (/[OIS]/.test(core(name)) ? name.replace(/[OIS]/g, (letter) => DIGITS[letter as 'O']) : null),
  'a doubled word': (name, random) => inWord(name, 4, random, (word) => `${word} ${word}`),
  'a contraction': (name, random) => toTable(name, CONTRACTIONS, random),
  'all words contracted': (name, random) => {
    const short = name.replace(/[A-Z]+/g, (word) =>
      Object.hasOwn(CONTRACTIONS, word) ? pick(CONTRACTIONS[word] as string[], random) : word,
    );
    return short === name ? null : short;
  },
  'a note in parentheses': (name, random) => `${name} (${pick(NOTES, random)})`,
  'a note after a dash': (name, random) => `${name} - ${pick(NOTES, random)}`,
  'a tax id beside the name': (name, random) =>
    random() < 0.5 ? `${name} ${pick(TAX_IDS, random)}` : `${name} - ${pick(TAX_IDS, random)}`,
  'a business word in front': (name, random) => `${pick(LEADS, random)} ${name}`,
  'a business word behind': (name, random) => `${core(name)} ${pick(TAILS, random)}`,
  'a foreign form behind': (name, random) => `${core(name)} ${pick(FOREIGN, random)}`,
  'a foreign form in front': (name, random) => `${pick(FOREIGN_FRONT, random)} ${random() < 0.4 ? `"${core(name)}"` : core(name)}`,
  'a foreign form beside the own': (name, random) => (core(name) === name ? null : `${name} ${pick(FOREIGN, random)}`),
  'another romanisation of Russian': (name, random) => inWord(name, 6, random, (word) => oneOf(ROMANISED, 1)(word, random)),
  'another romanisation of Arabic': (name, random) =>
    /\b(?:AL|EL|ABU|ABD|KHAN|SYRIA|IRAN|DAMASCUS|BEIRUT|TEHRAN)\b|[QZ]/.test(name)
      ? inWord(name, 5, random, (word) => oneOf(ARABIC, 1)(word, random))
      : null,
  'the Arabic article otherwise': (name, random) =>
    /\bAL[- ]/.test(name) ? name.replace(/\bAL[- ]/, pick(['EL ', 'AL', 'EL-', 'AL ', 'AL-', 'UL-', "AL'"], random)) : null,
  'in Cyrillic': (name) =>
    /^(?:OOO|[OPZ]?AO|OBSHCHESTVO|[A-Z]*(?:YTOE )?AKTSIONERNOE) |(?: OOO| [OPZ]?AO)$/.test(name) &&
    /^(?!.*(?:C[^H]|[QWXJ]|EE|OO|[PT]H))[A-Z .-]+$/.test(core(name))
      ? CYRILLIC.reduce((text, [from, to]) => text.replace(from, to), core(name))
      : null,
  'Cyrillic letters that look Latin': (name, random) => inWord(name, 5, random, (word) => oneOf(LOOKALIKES, 2)(word, random)),
  'letters misread by a scanner': (name, random) => inWord(name, 7, random, (word) => oneOf(MISREAD, 1)(word, random)),
  'all words joined': (name) => (words(name).length > 1 && /^[A-Z ]+$/.test(core(name)) ? core(name).replaceAll(' ', '') : null),
  'spaced letters': (name, random) => inWord(name, 4, random, (word) => [...word].join(' ')),
  'hyphens and slashes': (name, random) =>
    words(name).length > 1 ? core(name).replaceAll(' ', pick(['-', '/', '_', '.', ' - '], random)) : null,
  'a hyphen or invisible character in a word': (name, random) =>
    inWord(name, 8, random, (word) => `${word.slice(0, 4)}${pick(['-', '\u00ad', '\u200b', '­ ', '-\n'], random)}${word.slice(4)}`),
  'the form twice or in front': (name, random) => {
    const [form] = AT_END.exec(name) ?? [];
    if (form === undefined) return null;
    return random() < 0.5 ? `${name}${form}` : `${form.trim()} ${core(name)}`;
  },
  'connectors left out or added': (name, random) => {
    const without = name.replace(/ (?:DE LA|DE LOS|DE|DEL|LA|EL|Y|E|OF|THE|AND|FOR) /g, ' ');
    if (without !== name) return without;
    return words(name).length > 1
      ? words(name)
          .toSpliced(1, 0, pick(['DE', 'Y', 'OF', 'DEL', 'AND'], random))
          .join(' ')
      : null;
  },
  'a business word in another language': (name, random) => toTable(name, TRANSLATED, random),
  'a letter missing in two words': (name, random) => {
    const once = inWord(name, 7, random, (word) => word.slice(0, 3) + word.slice(4));
    return once === null ? null : inWord(once, 7, random, (word) => word.slice(0, -3) + word.slice(-2));
  },
  'the surname of a firm first, with commas': (name) =>
    words(name).length > 1 && words(name).length < 5 ? `${words(name).at(-1)}, ${words(name).slice(0, -1).join(' ')}` : null,
};
