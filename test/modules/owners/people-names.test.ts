import { describe, expect, it } from 'vitest';
import { sdnEntry, sdnXml } from '../../../sandbox/upstreams/sanctions/ofac.ts';
import { ofacParties } from '../../../sandbox/upstreams/sanctions/ofac-parties.ts';
import type { SanctionsEntry } from '../../../src/modules/sanctions/sources/entry.ts';
import { toListedParty } from '../../../src/modules/sanctions/sources/name-view.ts';
import { ofacSdnSpec } from '../../../src/modules/sanctions/sources/ofac-sdn.ts';
import { unConsolidatedSpec } from '../../../src/modules/sanctions/sources/un-consolidated.ts';
import { finished } from '../../../src/names/buckets.ts';
import { buildNameIndex } from '../../../src/names/build-name-index.ts';
import type { NameIndex } from '../../../src/names/name-index.ts';
import { randomOf } from '../../support/random.ts';
import { readBytes, readPath, type WholeList } from '../../support/read-list.ts';
import { needsPublished, publishedPath } from '../../support/samples.ts';

const GIVEN =
  'MARIA JOSE JOAO ANA LUIS LUIZ CARLOS PEDRO PAULO PAULA FERNANDA CAMILA RODRIGO MARCELO PATRICIA CLAUDIA ADRIANA MATEUS VINICIUS GUSTAVO LEANDRO ANTONIO FRANCISCO MARCOS RAFAEL DANIEL BRUNO EDUARDO FELIPE ROBERTO RICARDO SERGIO JORGE JULIANA MARCIA SANDRA ALINE LUCAS GABRIEL ALEXANDRE FABIO ANDRE CESAR MANUEL'.split(
    ' ',
  );
const FAMILY =
  'SILVA SANTOS OLIVEIRA SOUZA PEREIRA FERREIRA ALVES RODRIGUES GOMES MARTINS BARBOSA ROCHA RIBEIRO CARVALHO TEIXEIRA MOREIRA NOGUEIRA PEIXOTO BITTENCOURT COSTA LIMA ARAUJO MELO CARDOSO NASCIMENTO FREITAS MENDES NUNES VIEIRA MACHADO LOPES SA DIAS REIS PINTO MIRANDA CASTRO TANAKA HADDAD RODRIGUEZ LOPEZ GARCIA'.split(
    ' ',
  );
const ORDINARY = 10_000;

/** Makes up the name of an ordinary person: one or two given names, one to three family names. */
function ordinaryPerson(random: () => number): string {
  const pick = (all: readonly string[]) => all[Math.floor(random() * all.length)] ?? '';
  const given = Array.from({ length: random() < 0.4 ? 2 : 1 }, () => pick(GIVEN));
  const count = random() < 0.25 ? 1 : random() < 0.8 ? 2 : 3;
  const family = Array.from({ length: count }, () => (random() < 0.25 ? `DE ${pick(FAMILY)}` : pick(FAMILY)));
  return [...given, ...family].join(' ');
}

const peopleOf = ({ entries }: WholeList<SanctionsEntry>) =>
  entries.map(({ record }) => record).filter(({ kind }) => kind === 'individual');
const indexOf = (people: readonly SanctionsEntry[]) => finished(buildNameIndex(people.map(toListedParty)));

/** Ordinary names that have a candidate. */
function flagged(index: NameIndex<SanctionsEntry>): readonly string[] {
  const random = randomOf(7);
  return Array.from({ length: ORDINARY }, () => ordinaryPerson(random)).filter((name) => index.search(name).length > 0);
}

/** `FAMILY, Given` as the tax registry prints it: `GIVEN FAMILY`. */
const asRegistered = (name: string): string => name.split(', ').toReversed().join(' ').toUpperCase();

/** The name without the fourth letter of its first long word; null without a long word. */
function withTypo(name: string): string | null {
  const long = name.split(' ').find((word) => word.length >= 6);
  return long === undefined ? null : name.replace(long, long.slice(0, 3) + long.slice(4));
}

describe('the names of people on the list of the sandbox', () => {
  it('are found as the tax registry prints them, and resemble no ordinary name', async () => {
    const people = peopleOf(await readBytes(ofacSdnSpec, { 'SDN.XML': sdnXml('11/20/2026', ofacParties.map(sdnEntry)) }));
    const index = indexOf(people);
    expect(people.length).toBeGreaterThan(2);
    for (const person of people) expect(index.search(asRegistered(person.name))[0]).toMatchObject({ party: person, decision: 'match' });
    expect(flagged(index)).toEqual([]);
  });

  it('leave out weak aliases of one word, which a first name and the surname Sá would be like', () => {
    const person: SanctionsEntry = {
      uid: '1',
      kind: 'individual',
      name: 'INVENTADO, Raimundo',
      aliases: ['LUCAS', 'LUCAS INVENTADO'].map((name) => ({ name, type: 'a.k.a.', weak: true })),
      programs: [],
      countries: [],
      nationalities: [],
      datesOfBirth: [],
      taxIds: [],
      reference: null,
    };
    const index = indexOf([person]);
    expect(index.search('LUCAS SA')).toEqual([]);
    expect(index.search('LUCAS INVENTADO')).toMatchObject([{ decision: 'review', name: { matchedOn: 'weak_alias' } }]);
  });
});

describe('the names of people on the lists as published', needsPublished('sanctions/ofac-2023-12-28'), () => {
  it.each([
    ['OFAC_SDN', () => readPath(ofacSdnSpec, publishedPath('sanctions/ofac-2023-12-28/sdn.csv'))],
    ['UN_CONSOLIDATED', () => readPath(unConsolidatedSpec, publishedPath('sanctions/un/consolidated-2025-11-20.xml'))],
  ])(
    'of %s are found as registered and with a missing letter, and resemble at most 0.3 % of ordinary names',
    async (_, read) => {
      const people = peopleOf(await read());
      const index = indexOf(people);
      const sample = people.filter((_person, i) => i % 8 === 0).map((person) => ({ person, name: asRegistered(person.name) }));
      const hitOf = (name: string, person: SanctionsEntry) => index.search(name).find(({ party }) => party === person);
      expect(sample.filter(({ person, name }) => hitOf(name, person)?.decision !== 'match')).toEqual([]);
      const typos = sample.flatMap(({ person, name }) => {
        const typo = withTypo(name);
        return typo === null ? [] : [hitOf(typo, person) !== undefined];
      });
      expect(typos.filter(Boolean).length / typos.length).toBeGreaterThanOrEqual(0.9);
      expect(flagged(index).length).toBeLessThanOrEqual(ORDINARY * 0.003);
    },
    120_000,
  );
});
