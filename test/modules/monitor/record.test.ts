import { describe, expect, it } from 'vitest';
import { diffSnapshots, losesKnownValue, type Snapshot, withoutRecord } from '../../../src/modules/monitor/domain/change.ts';
import { type RecordSnapshot, type WatchedOwner, type WatchedOwners, withKnown } from '../../../src/modules/monitor/domain/record.ts';
import { observedLoader } from '../../../src/modules/monitor/loaders/observed.ts';
import { withoutDoubtfulDepartures } from '../../../src/modules/monitor/service/lost-partners.ts';
import { capitalOf, type ReceitaPartner } from '../../../src/sources/receita-federal/company.ts';

const snapshot = (record: RecordSnapshot): Snapshot => ({ status: 'active', size: 'small', activity: null, ...record });
const diff = (before: RecordSnapshot, after: RecordSnapshot) => diffSnapshots(snapshot(before), snapshot(after));

const person = (name: string, document: string | null = '***456789**'): WatchedOwner => ({ kind: 'person', name, document });
const MARIA = person('MARIA MODELO');
const HOLDING: WatchedOwner = { kind: 'company', name: 'HOLDING MODELO LTDA', document: '11222333000181' };
const JOSE = person('JOSÉ DA CONCEIÇÃO', '***000101**');

/** Reads partners as a check does. */
async function ownersOf(owners: readonly WatchedOwner[]): Promise<WatchedOwners | undefined> {
  const partners = owners.map((one) => ({ ...one, role: '' }) as unknown as ReceitaPartner);
  const record = { legalName: 'ACME', partners, capital: null, state: null, municipality: null, specialSituation: null };
  const profile = { status: 'active', size: 'small', activity: null, activityCode: null };
  const values: Readonly<Record<string, unknown>> = { profile, taxpayer: { source: 'receita_federal', record } };
  const load = ({ name }: { readonly name: string }) => Promise.resolve({ value: values[name], freshness: { dataAsOf: null } });
  const { value } = await observedLoader.answer({ country: 'BR', taxId: '' }, load as never, {} as never);
  return value.owners;
}
const ownerChange = async (before: readonly WatchedOwner[], after: readonly WatchedOwner[]) => {
  const [one, other] = [await ownersOf(before), await ownersOf(after)];
  return diff({ ...(one && { owners: one }) }, { ...(other && { owners: other }) });
};

describe('a field of two records', () => {
  it.each<[string, RecordSnapshot, RecordSnapshot]>([
    ['a name with other blanks, accents and case', { name: 'PADARIA SÃO  JOÃO LTDA' }, { name: 'Padaria Sao Joao Ltda' }],
    ['a name with a CPF that mirrors mask otherwise', { name: 'MARIA MODELO ***45678***' }, { name: 'MARIA MODELO ***456789**' }],
    ['a name with broken encoding', { name: 'SÃ£o JoÃ£o' }, { name: 'São João' }],
    ['a capital rounded by one mirror', { capital: 1_061_004_829.23 }, { capital: 1_061_004_800 }],
    ['no capital', { capital: 0 }, { capital: 0 }],
    ['a situation in another case', { special_situation: 'RECUPERACAO JUDICIAL' }, { special_situation: 'Recuperação judicial' }],
    ['a municipality in another spelling', { address: 'SÃO PAULO/SP' }, { address: 'SAO PAULO/SP' }],
    ['all fields of a snapshot of an earlier version', {}, { name: 'A', capital: 1, address: 'A/SP', special_situation: null }],
    ['all fields that are unknown now', { name: 'A', capital: 1, address: 'A/SP', special_situation: 'FALIDO' }, {}],
  ])('is the same: %s', (_, before, after) => {
    expect(diff(before, after)).toEqual([]);
    expect(diff(after, before)).toEqual([]);
  });

  it.each<[string, RecordSnapshot, RecordSnapshot, object]>([
    [
      'another masked CPF',
      { name: 'MARIA ***45678***' },
      { name: 'MARIA ***456799**' },
      { field: 'name', from: 'MARIA ***45678***', to: 'MARIA ***456799**' },
    ],
    ['another name', { name: 'A LTDA' }, { name: 'B LTDA' }, { field: 'name', from: 'A LTDA', to: 'B LTDA' }],
    ['a blank name', { name: 'A LTDA' }, { name: null }, { field: 'name', from: 'A LTDA', to: null }],
    ['another capital', { capital: 5_000 }, { capital: 5_000.5 }, { field: 'capital', from: '5000', to: '5000.5' }],
    ['a first capital', { capital: 0 }, { capital: 0.01 }, { field: 'capital', from: '0', to: '0.01' }],
    [
      'another municipality',
      { address: 'MAZAGAO/AP' },
      { address: 'MACAPA/AP' },
      { field: 'address', from: 'MAZAGAO/AP', to: 'MACAPA/AP' },
    ],
    ['a situation', { special_situation: null }, { special_situation: 'FALIDO' }, { field: 'special_situation', from: null, to: 'FALIDO' }],
  ])('differs: %s', (_, before, after, change) => {
    expect(diff(before, after)).toEqual([change]);
  });
});

describe('the partners of two records', () => {
  it.each<[string, readonly WatchedOwner[], readonly WatchedOwner[]]>([
    ['in another order', [MARIA, JOSE], [JOSE, MARIA]],
    ['with other blanks and case', [MARIA], [{ ...MARIA, name: 'Maria  Modelo' }]],
    ['without accents', [JOSE], [{ ...JOSE, name: 'JOSE DA CONCEICAO' }]],
    ['with lost accents', [JOSE, MARIA], [MARIA, { ...JOSE, name: 'JOS? DA CONCEI??O' }]],
    ['twice the same name and digits', [MARIA, MARIA], [MARIA, MARIA]],
    ['unknown now, because names are missing', [MARIA], [{ ...MARIA, name: '' }]],
    ['with a new name of a company', [MARIA, HOLDING], [{ ...HOLDING, name: 'GRUPO MODELO S.A.' }, MARIA]],
    ['with a company by another branch', [HOLDING], [{ ...HOLDING, document: '11222333000262' }]],
    ['with a company that a mirror calls foreign', [{ ...HOLDING, kind: 'foreign' }], [HOLDING]],
    ['with a company called a person, by another branch', [{ ...HOLDING, kind: 'person', document: '11222333000262' }], [HOLDING]],
    ['more than are listed, in another order', many(101), many(101).toReversed()],
  ])('are the same: %s', async (_, before, after) => {
    expect(await ownerChange(before, after)).toEqual([]);
  });

  it.each<[string, readonly WatchedOwner[], readonly WatchedOwner[], string | null, string | null]>([
    ['one joined', [MARIA], [JOSE, MARIA], null, 'JOSÉ DA CONCEIÇÃO (***000101**)'],
    ['one left', [MARIA, JOSE], [JOSE], 'MARIA MODELO (***456789**)', null],
    ['one of two equal ones left', [MARIA, MARIA], [MARIA], 'MARIA MODELO (***456789**)', null],
    ['one replaced the other', [MARIA], [JOSE], 'MARIA MODELO (***456789**)', 'JOSÉ DA CONCEIÇÃO (***000101**)'],
    ['other digits', [MARIA], [person('MARIA MODELO', '***111111**')], 'MARIA MODELO (***456789**)', 'MARIA MODELO (***111111**)'],
    [
      'another company of the same name',
      [HOLDING],
      [{ ...HOLDING, document: '44555666000181' }],
      'HOLDING MODELO LTDA (11222333000181)',
      'HOLDING MODELO LTDA (44555666000181)',
    ],
    ['the first one', [], [MARIA], '', 'MARIA MODELO (***456789**)'],
    ['the last one left', [MARIA], [], 'MARIA MODELO (***456789**)', ''],
    ['without a document', [], [person('JOHN DOE', null)], '', 'JOHN DOE'],
    ['one more than are listed', many(100), many(101), '100', '101'],
    ['one of many replaced', many(150), [...many(149), MARIA], '150', '150'],
  ])('differ: %s', async (_, before, after, from, to) => {
    expect(await ownerChange(before, after)).toEqual([{ field: 'owners', from, to }]);
  });

  it('are stored in a bounded snapshot', async () => {
    const owners = await ownersOf(many(5_000));
    expect(owners).toEqual({ count: 5_000, digest: expect.stringMatching(/^[0-9a-f]{64}$/), listed: null });
    expect((await ownersOf(many(100)))?.listed).toHaveLength(100);
  });

  it('have a bounded text', async () => {
    const long = many(100).map(({ name, ...one }) => ({ ...one, name: `${name} ${'X'.repeat(490)}` }));
    const [change] = await ownerChange([], long);
    expect(change?.to?.length).toBe(10_000);
  });
});

function many(count: number): readonly WatchedOwner[] {
  return Array.from({ length: count }, (_, n) => person(`PARTNER ${n}`, '***000000**'));
}

describe('an observed record', () => {
  it('keeps what is unknown now and what did not change, so that a later change is still found', async () => {
    const owners = await ownersOf([MARIA]);
    const before = { name: 'ACME  LTDA', capital: 1_061_004_829.23, ...(owners && { owners }) };
    const kept = withKnown(before, { name: 'Acme Ltda', capital: 1_061_004_800, special_situation: null });
    expect(kept).toEqual({ ...before, special_situation: null });
    expect(withKnown(before, { name: 'OTHER' })).toEqual({ ...before, name: 'OTHER' });
  });

  it.each<[string, readonly WatchedOwner[] | null, readonly WatchedOwner[], readonly WatchedOwner[] | null]>([
    ['the observed ones without a snapshot', null, [MARIA], [MARIA]],
    ['unknown if nobody joined', [MARIA, JOSE], [{ ...MARIA, name: 'Maria  Modelo' }], null],
    ['unknown if none is left', [MARIA], [], null],
    ['those of the snapshot, too, if one joined', [MARIA, JOSE], [HOLDING, MARIA], [HOLDING, MARIA, JOSE]],
    ['those of the snapshot, too, if they are then too many to be listed', many(100), [MARIA], [...many(100), MARIA]],
    ['unknown if those of the snapshot are not listed', many(101), [MARIA], null],
    ['unknown if they are not listed', [MARIA], many(101), null],
  ])('of which partners may be missing has as partners: %s', async (_, before, observed, expected) => {
    const owners = await ownersOf(observed);
    const known = before && (await ownersOf(before));
    const given = snapshot({ ...(owners && { owners: { ...owners, mayLack: true } }) });
    const all = expected && (await ownersOf(expected));
    expect(withoutDoubtfulDepartures(known ? snapshot({ owners: known }) : null, given)).toEqual(snapshot({ ...(all && { owners: all }) }));
  });
});

describe('a value that is lost', () => {
  const lost = (before: RecordSnapshot, after: RecordSnapshot) => losesKnownValue(diff(before, after));

  it('is a blank name, the last partner and the special situation', async () => {
    expect(lost({ name: 'A' }, { name: null })).toBe(true);
    expect(lost({ special_situation: 'FALIDO' }, { special_situation: null })).toBe(true);
    expect(losesKnownValue(await ownerChange([MARIA], []))).toBe(true);
    expect(losesKnownValue(await ownerChange([MARIA, JOSE], [JOSE]))).toBe(false);
    expect(losesKnownValue(await ownerChange([JOSE], [JOSE, MARIA]))).toBe(false);
  });

  it('is not the last partner of a company that is closed, whose status is reported at once', async () => {
    const closed = [{ field: 'status', from: 'active', to: 'inactive' } as const];
    expect(losesKnownValue([...closed, ...(await ownerChange([MARIA], []))])).toBe(false);
    expect(losesKnownValue([...closed, { field: 'name', from: 'A', to: null }])).toBe(true);
  });
});

it('a change without the fields of the record has the three fields of /v1', () => {
  const fields = diffSnapshots({ ...snapshot({ name: 'A' }), status: 'inactive' }, snapshot({ name: 'B' }));
  expect(fields.map(({ field }) => field)).toEqual(['status', 'name']);
  expect(withoutRecord(fields).map(({ field }) => field)).toEqual(['status']);
});

it.each([
  [1000, 1000],
  ['1000,00', 1000],
  ['1.061.004.829,23', 1_061_004_829.23],
  ['1000.50', 1000.5],
  ['1.000', 1000],
  ['1.000.000', 1_000_000],
  [' 1000,00 ', 1000],
  [0, 0],
  ['1,00E+7', null],
  ['1e7', null],
  ['0x10', null],
  ['1.00.0,5', null],
  ['1,000.00', null],
  ['1000,005', null],
  ['', null],
  ['x', null],
  [-1, null],
  [Number.NaN, null],
  [1e300, null],
  [{}, null],
  [null, null],
  [undefined, null],
])('the capital %j is read as %j', (value, capital) => {
  expect(capitalOf(value)).toBe(capital);
});
