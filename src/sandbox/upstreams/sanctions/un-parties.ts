/** An entity of the made-up UN list. There are no tax ids on it. */
export interface UnEntity {
  readonly dataId: number;
  readonly name: string;
  /** The name in its own script. */
  readonly original: string;
  /** The regime. */
  readonly list: string;
  readonly reference: string;
  readonly listedOn: string;
  /** Quality (`a.k.a.`, `f.k.a.`) and name. None becomes an empty placeholder. */
  readonly aliases: readonly (readonly [quality: string, name: string])[];
  readonly city: string;
  readonly country: string;
}

export interface UnIndividual {
  readonly dataId: number;
  /** First to fourth name. */
  readonly names: readonly string[];
  readonly list: string;
  readonly reference: string;
  readonly listedOn: string;
  readonly nationality: string;
  /** Quality (`Good`, `Low`) and name. */
  readonly aliases: readonly (readonly [quality: string, name: string])[];
}

const DPRK = "Democratic People's Republic of Korea";
const IRAN = 'Iran (Islamic Republic of)';

const entity = (
  dataId: number,
  reference: string,
  list: string,
  name: string,
  country: string,
  rest: Partial<UnEntity> = {},
): UnEntity => ({
  dataId,
  reference,
  list,
  name,
  country,
  original: '',
  listedOn: '2014-06-30',
  aliases: [],
  city: '',
  ...rest,
});

const individual = (
  dataId: number,
  reference: string,
  list: string,
  names: readonly string[],
  nationality: string,
  ...aliases: UnIndividual['aliases']
): UnIndividual => ({
  dataId,
  reference,
  list,
  names,
  nationality,
  listedOn: '2012-12-31',
  aliases,
});

export const unEntities: readonly UnEntity[] = [
  entity(6_990_001, 'QDe.901', 'Al-Qaida', 'CONDOR IMAGINARIO TRADING LTDA', 'Panama', {
    aliases: [['f.k.a.', 'Condor Trading']],
    city: 'Colón',
  }),
  entity(6_990_002, 'QDe.902', 'Al-Qaida', 'BAZAR DO DESERTO INVENTADO LTDA', 'United Arab Emirates', {
    original: 'بازار الصحراء المخترعة',
  }),
  // Two names in one cell, and an acronym in parentheses.
  entity(
    6_990_003,
    'CDe.903',
    'DRC',
    'COMPAGNIE AERIENNE DE NULLE PART (CANP) ; NOWHERE LAKES BUSINESS COMPANY (NLBC)',
    'Democratic Republic of the Congo',
    {
      aliases: [['a.k.a.', 'CANP']],
      city: 'Goma',
    },
  ),
  entity(6_990_004, 'KPe.904 ', 'DPRK', 'IMAGINARY MINING DEVELOPMENT TRADING CORPORATION (IMDTC)', DPRK, {
    aliases: [['a.k.a.', '"KOIMAG"']],
    city: 'Pyongyang',
  }),
  entity(6_990_005, 'KPe.905', 'DPRK', 'PAPER CRANE SHIPPING CO., LTD.', DPRK, { aliases: [['', '']] }),
  entity(6_990_006, 'IRe.906', 'Iran', 'KHIALI TEJARAT COMPANY (BRANCH OF NOWHERE INDUSTRIES)', IRAN, {
    aliases: [
      ['a.k.a.', 'Sherkat-e Khiali Tejarat'],
      ['a.k.a.', 'شرکت خیالی تجارت'],
    ],
    city: 'Tehran',
  }),
  entity(6_990_007, 'IRe.907', 'Iran', 'PAPER TURBINE MANUFACTURING AND IMAGINARY PETROCHEMICALS', IRAN, { listedOn: '2025-09-27' }),
  entity(6_990_008, 'IQe.908', 'Iraq', 'STATE ENTERPRISE FOR INVENTED INDUSTRIES', 'Iraq'),
  entity(6_990_009, 'TAe.909', 'Taliban', 'INVENTED HAWALA & PARTNERS', 'Afghanistan', {
    original: 'حواله اختراعي',
    aliases: [['a.k.a.', 'Hawala’s Exchange']],
  }),
  entity(6_990_010, 'SOe.910', 'Somalia', 'AL-KHAYAL', 'Somalia', { aliases: [['a.k.a.', 'The Imaginary Youth']] }),
  entity(6_990_011, 'HTe.911', 'Haiti', 'GANG IMAGINAIRE DE PORT-NULLE-PART', 'Haiti', { aliases: [['a.k.a.', 'Gang Imaginé']] }),
  entity(6_990_012, 'YEe.912', 'Yemen', 'ANSAR AL-WAHM', 'Yemen', {
    aliases: [
      ['a.k.a.', 'PARTISANS OF ILLUSION'],
      ['a.k.a.', 'ANSARALWAHM'],
    ],
  }),
];

export const unIndividuals: readonly UnIndividual[] = [
  individual(
    6_991_001,
    'CDi.901',
    'DRC',
    ['JÉRÔME', 'INVENTÉ'],
    'Democratic Republic of the Congo',
    ['Good', 'Jerome Invente'],
    ['Low', 'Papier'],
  ),
  individual(6_991_002, 'CDi.902', 'DRC', ['ERIC', 'NULLE', 'PART'], 'Rwanda'),
  individual(6_991_003, 'QDi.903', 'Al-Qaida', ['ABU', 'AL-WAHM'], 'Yemen', ['Low', 'Abu Khayal']),
  individual(6_991_004, 'QDi.904', 'Al-Qaida', ['FULANO', 'DE', 'TAL', 'MARROQUI'], 'Morocco'),
  individual(6_991_005, 'KPi.905', 'DPRK', ['KIM', 'SANG SANG'], DPRK, ['Good', 'Kim Sangsang']),
  individual(6_991_006, 'KPi.906', 'DPRK', ['RI', 'KARA'], DPRK),
  individual(6_991_007, 'IRi.907', 'Iran', ['KHIAL', 'NADARAD'], IRAN),
  individual(6_991_008, 'TAi.908', 'Taliban', ['MULLAH', 'HICHKAS'], 'Afghanistan', ['Good', 'Mawlawi Hichkas'], ['', '']),
  individual(6_991_009, 'LYi.909', 'Libya', ['LA', 'AHAD'], 'Libya'),
  individual(6_991_010, 'SOi.910', 'Somalia', ['CIDNA', 'MA', 'AHA'], 'Somalia'),
];
