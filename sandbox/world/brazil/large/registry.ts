import { cnpjCheckDigits } from '../../../../src/domain/check-digits.ts';
import { madeUpCpf } from '../company.ts';
import { ACTIVITIES, PLACES, type Role } from '../tables.ts';
import { chance, oneOf, wholeNumber } from './chance.ts';
import { madeUpBrand, madeUpCompany, madeUpPerson } from './names.ts';

/** A registry of any size, of which every part is computed from its number, so that it takes no memory. Equal sizes give equal parts. */
export interface LargeRegistry {
  /** Number of legal persons. Every fifth has two establishments, the others one. */
  readonly companies: number;
  /** False: the earlier month. True: the later one, in which about 1 % of the companies changed in one field. */
  readonly isLater: boolean;
}

/** A legal person, in the terms of the registry's files. */
export interface LargeCompany {
  /** Number of the company, from 0. */
  readonly serial: number;
  readonly root: string;
  readonly name: string;
  readonly nature: number;
  readonly capital: number;
  readonly size: number;
  readonly isTrader: boolean;
}

export interface LargeEstablishment {
  readonly root: string;
  readonly branch: string;
  readonly digits: string;
  readonly tradeName: string;
  readonly status: number;
  /** `YYYYMMDD`. */
  readonly since: string;
  readonly openedOn: string;
  readonly activity: string;
  readonly otherActivities: readonly string[];
  readonly place: (typeof PLACES)[keyof typeof PLACES];
  /** Number from which the contact data are made. */
  readonly contact: number;
}

export interface LargePartner {
  readonly kind: 1 | 2 | 3;
  readonly name: string;
  readonly document: string;
  readonly role: Role;
  readonly since: string;
}

const FIRST_ROOT = 10_000_000;
const ROOTS = 80_000_000;
/** Interval of the companies that own many others. */
const HOLDING_STEP = 500;
/** Partners are people of a number that is this share of the companies. */
const PEOPLE = 0.3;

/** Returns the registry with about this number of establishments. */
export const largeRegistry = (establishments: number, isLater: boolean): LargeRegistry => ({
  companies: Math.max(1, Math.round(establishments / 1.2)),
  isLater,
});

const codes = Object.keys(ACTIVITIES);
const places = Object.values(PLACES).filter(({ uf }) => uf !== 'EX');

/** Kinds of changes between the two months: each concerns a thousandth or two of the companies. */
const CHANGES = {
  capital: [0, 0.002],
  activity: [0.002, 0.004],
  place: [0.004, 0.006],
  closed: [0.006, 0.008],
  partner: [0.008, 0.01],
} as const;

const isChanged = (serial: number, { isLater }: LargeRegistry, field: keyof typeof CHANGES): boolean => {
  const [from, to] = CHANGES[field];
  const at = chance(serial, 1);
  return isLater && at >= from && at < to;
};

const isTrader = (serial: number): boolean => serial % HOLDING_STEP !== 0 && chance(serial, 2) < 0.7;

const rootOf = (serial: number, { companies }: LargeRegistry): string =>
  String(FIRST_ROOT + serial * Math.max(1, Math.floor(ROOTS / companies)));

/** Returns a date from 1990 on as `YYYYMMDD`. */
const dateOf = (serial: number, salt: number): string =>
  `${1990 + wholeNumber(36, serial, salt, 0.6)}${two(1 + wholeNumber(12, serial, salt + 1))}${two(1 + wholeNumber(28, serial, salt + 2))}`;
const two = (number: number): string => String(number).padStart(2, '0');

export function companyAt(serial: number, registry: LargeRegistry): LargeCompany {
  const root = rootOf(serial, registry);
  const trader = isTrader(serial);
  const capital = 1_000 * (1 + wholeNumber(500, serial, 3, 3)) + (isChanged(serial, registry, 'capital') ? 1 : 0);
  return {
    ...{ serial, root, capital, isTrader: trader },
    name: trader ? traderName(serial, root) : madeUpCompany(serial),
    nature: trader ? 2135 : oneOf([2062, 2062, 2062, 2062, 2054, 3999] as const, serial, 4),
    size: oneOf([1, 1, 1, 3, 5] as const, serial, 5),
  };
}

/** The registry prints the CPF of a sole trader behind the name; newer ones have the root before it. */
const traderName = (serial: number, root: string): string =>
  chance(serial, 6) < 0.5
    ? `${madeUpPerson(serial)} ${madeUpCpf(wholeNumber(999_999, serial, 7))}`
    : `${root.slice(0, 2)}.${root.slice(2, 5)}.${root.slice(5)} ${madeUpPerson(serial)}`;

export const establishmentsOf = ({ serial, root }: LargeCompany, registry: LargeRegistry): readonly LargeEstablishment[] =>
  (serial % 5 === 0 ? ['0001', '0002'] : ['0001']).map((branch, i) => {
    const own = serial * 2 + i;
    const isHead = i === 0;
    const place = oneOf(places, own, 41, 2);
    const moved = isHead && isChanged(serial, registry, 'place');
    const isOpen = chance(own, 42) < 0.6 && !(isHead && isChanged(serial, registry, 'closed'));
    return {
      ...{ root, branch, digits: cnpjCheckDigits(root + branch), contact: own },
      tradeName: chance(own, 43) < 0.5 ? madeUpBrand(own) : '',
      status: isOpen ? 2 : oneOf([8, 8, 8, 8, 4] as const, own, 44),
      since: dateOf(own, 45),
      openedOn: dateOf(own, 48),
      activity: isHead && isChanged(serial, registry, 'activity') ? '8411600' : oneOf(codes, own, 51, 1.5),
      otherActivities: Array.from({ length: wholeNumber(5, own, 52, 1.5) }, (_, n) => oneOf(codes, own, 53 + n)),
      place: moved ? (places[(places.indexOf(place) + 1) % places.length] ?? place) : place,
    };
  });

/** Returns the partners of a company. Those that are companies have smaller numbers, so that no company owns itself. */
export function partnersOf({ serial, isTrader: trader }: LargeCompany, registry: LargeRegistry): readonly LargePartner[] {
  if (trader) return [];
  const count = 1 + wholeNumber(3, serial, 61, 2.5);
  return Array.from({ length: count }, (_, n) => {
    const own = serial * 4 + n;
    const kind = chance(own, 62);
    const since = dateOf(own, 63);
    if (kind < 0.07 && serial > 0) {
      const owner = companyAt(ownerOf(serial, own, registry), registry);
      const document = chance(own, 66) < 0.5 ? owner.root : `${owner.root}0001${cnpjCheckDigits(`${owner.root}0001`)}`;
      return { kind: 1, name: owner.name, document, role: 22, since };
    }
    const person = personOf(own, registry) + (n === 0 && isChanged(serial, registry, 'partner') ? 1 : 0);
    if (kind < 0.08) return { kind: 3, name: madeUpPerson(person), document: '', role: 38, since };
    const digits = String(wholeNumber(1_000_000, person, 67)).padStart(6, '0');
    return { kind: 2, name: madeUpPerson(person), document: `***${digits}**`, role: 49, since };
  });
}

/** Two fifths of the companies that are owned belong to a holding, of which the first ones own many. */
function ownerOf(serial: number, own: number, { companies }: LargeRegistry): number {
  const holding = wholeNumber(Math.ceil(companies / HOLDING_STEP), own, 64, 2) * HOLDING_STEP;
  if (chance(own, 68) < 0.4 && holding < serial) return holding;
  let owner = wholeNumber(serial, own, 65);
  while (isTrader(owner)) owner -= 1;
  return owner;
}

/** A tenth of the rows belong to people who have many companies. */
const personOf = (own: number, { companies }: LargeRegistry): number =>
  wholeNumber(Math.ceil(companies * PEOPLE), own, 69, chance(own, 70) < 0.1 ? 2 : 1);
