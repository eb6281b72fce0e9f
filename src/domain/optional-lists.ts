/** A published list that answers include only where the account of the caller, or the request, chooses it. */
interface OptionalListFacts {
  /** Description in one line: the country or body, and what a company on the list is barred from. */
  readonly description: string;
  /** The check whose answers may include the list. */
  readonly check: 'debarment' | 'sanctions';
  /** False for a list whose entries are information: an account cannot choose it for its verdicts. */
  readonly mayDecide: boolean;
}

/**
 * All optional lists, in the order in which answers name them. Without a choice, `debarment` reads CEIS and CNEP alone, and `sanctions`
 * OFAC SDN and the UN list alone, as the contract of `/v1` says. The catalogue of sources, the command line and the enums read this record.
 */
export const OPTIONAL_LISTS = {
  CEPIM: {
    description: 'Brazil: non-profit entities barred from federal agreements.',
    check: 'debarment',
    mayDecide: true,
  },
  TCU_INIDONEOS: {
    description: 'Brazil: companies that the federal court of accounts declared unfit for public contracts.',
    check: 'debarment',
    mayDecide: true,
  },
  BCB_PROIBIDOS: {
    description: 'Brazil: companies that the Central Bank barred from auditing or from operations in the financial system.',
    check: 'debarment',
    mayDecide: true,
  },
  ACORDO_LENIENCIA: {
    description: 'Brazil: leniency agreements under the anti-corruption law; information, and no ban.',
    check: 'debarment',
    mayDecide: false,
  },
  OFAC_NON_SDN: {
    description: 'US Treasury: consolidated list of other than Specially Designated Nationals. Its parties are restricted, not blocked.',
    check: 'sanctions',
    mayDecide: false,
  },
  EU_CONSOLIDATED: {
    description: 'European Union: consolidated list of financial sanctions.',
    check: 'sanctions',
    mayDecide: false,
  },
  UK_SANCTIONS: {
    description: 'United Kingdom: sanctions list of the Foreign, Commonwealth and Development Office.',
    check: 'sanctions',
    mayDecide: false,
  },
  WORLD_BANK_DEBARRED: {
    description: 'World Bank: firms and individuals that are ineligible for its contracts.',
    check: 'sanctions',
    mayDecide: false,
  },
} as const satisfies Readonly<Record<string, OptionalListFacts>>;
export type OptionalList = keyof typeof OPTIONAL_LISTS;
type Lists = typeof OPTIONAL_LISTS;

/** Names of the optional lists of a check, or of those that may decide a verdict. */
export type OptionalListOf<F extends Partial<OptionalListFacts>> = {
  [L in OptionalList]: Lists[L] extends F ? L : never;
}[OptionalList];

const NAMES = Object.keys(OPTIONAL_LISTS) as readonly OptionalList[];

/** Returns the optional lists with these facts, in the order of `OPTIONAL_LISTS`. */
export const optionalLists = <const F extends Partial<OptionalListFacts>>(facts: F): readonly OptionalListOf<F>[] =>
  NAMES.filter((name) => {
    const own: OptionalListFacts = OPTIONAL_LISTS[name];
    return (Object.keys(facts) as (keyof OptionalListFacts)[]).every((fact) => own[fact] === facts[fact]);
  }) as readonly OptionalList[] as readonly OptionalListOf<F>[];

/** Descriptions of the optional lists, for the catalogue of sources. */
export const OPTIONAL_LIST_DESCRIPTIONS = Object.fromEntries(NAMES.map((name) => [name, OPTIONAL_LISTS[name].description])) as {
  readonly [L in OptionalList]: string;
};

/** The lists that an account has chosen, each in the order of `OPTIONAL_LISTS`. */
export interface AccountLists {
  /** Lists that the answers of `debarment` and `sanctions` include where the request chooses none. */
  readonly answers: readonly OptionalList[];
  /** Lists that the consolidated check of a company reads, so that their records count in its verdict. */
  readonly verdicts: readonly OptionalList[];
}

/** The choice of an account that has made none. */
export const NO_LISTS: AccountLists = { answers: [], verdicts: [] };

/** Returns the lists of this release that are named, in order and once each. Names stored by a newer release are ignored. */
export const knownLists = (names: readonly string[]): readonly OptionalList[] => NAMES.filter((list) => names.includes(list));

/** Returns the chosen lists that belong to a check, in order. */
export const chosenOf = <L extends OptionalList>(chosen: readonly OptionalList[], lists: readonly L[]): readonly L[] =>
  lists.filter((list) => chosen.includes(list));
