import { describe, expect, it, onTestFinished } from 'vitest';
import { REGISTRY_FIELDS, type RegistryField } from '../../../src/sources/receita-federal/copy/change-field.ts';
import {
  changed,
  cnpjOf,
  company,
  copyDb,
  establishment,
  type Files,
  folderOf,
  lineOf,
  monthOf,
  partner,
  roots,
  rowsOf,
} from './support.ts';

const { copy, knex } = copyDb();
const ROOT = '99100000';
const CNPJ = cnpjOf(ROOT);
type Copy = ReturnType<typeof copy>;
async function historyOf(own: Copy, cnpj = CNPJ, page: { fields?: readonly RegistryField[]; first?: number; after?: number | null } = {}) {
  const [answer] = await own.reader().history([{ cnpj, fields: REGISTRY_FIELDS, first: 100, after: null, ...page }]);
  return answer;
}

/** Loads two months, and returns the changes of a company between them. */
async function changesOf(before: Files, after: Files, cnpj = CNPJ) {
  const own = copy();
  await own.load(await folderOf(before, 'D61014'));
  await own.load(await folderOf(after, 'D61114'));
  const answer = await historyOf(own, cnpj);
  return { own, answer };
}

const MONTH = monthOf(3);

describe('the differences of two extracts', () => {
  it.each<[RegistryField, Files, object]>([
    ['name', changed(MONTH, { Empresas0: company(ROOT, 'NOVO NOME LTDA') }), { before: `EMPRESA ${ROOT}`, after: 'NOVO NOME LTDA' }],
    [
      'size',
      changed(MONTH, { Empresas0: company(ROOT).with(5, '01') }),
      { before: 'DEMAIS', beforeCode: '05', after: 'MICRO EMPRESA', afterCode: '01' },
    ],
    ['capital', changed(MONTH, { Empresas0: company(ROOT).with(4, '2500,50') }), { before: '100000', after: '2500.5', afterCode: null }],
    [
      'nature',
      changed(MONTH, { Empresas0: company(ROOT).with(2, '2054') }),
      { before: 'Sociedade Empresária Limitada', beforeCode: '2062', after: 'Sociedade Anônima Fechada', afterCode: '2054' },
    ],
    [
      'status',
      changed(MONTH, { Estabelecimentos0: establishment(ROOT, '0001', { 5: '04' }) }),
      { before: 'ATIVA', beforeCode: '02', after: 'INAPTA', afterCode: '04', establishment: CNPJ },
    ],
    ['activity', changed(MONTH, { Estabelecimentos0: establishment(ROOT, '0001', { 11: '4120400' }) }), { afterCode: '4120400' }],
    [
      'address',
      changed(
        MONTH,
        { Estabelecimentos0: establishment(ROOT, '0001', { 19: 'MG', 20: '4123' }) },
        { Municipios: [['4123', 'BELO HORIZONTE']] },
      ),
      { before: 'SAO PAULO/SP', beforeCode: '7107', after: 'BELO HORIZONTE/MG', afterCode: '4123' },
    ],
    [
      'special_situation',
      changed(MONTH, { Estabelecimentos0: establishment(ROOT, '0001', { 28: 'RECUPERACAO JUDICIAL', 29: '20261101' }) }),
      { before: null, after: 'RECUPERACAO JUDICIAL' },
    ],
    [
      'partner_joined',
      changed(MONTH, {}, { Socios0: [partner(ROOT, 'BIA MODELO', { 3: '***000202**' })] }),
      { before: null, after: 'BIA MODELO', partner: { name: 'BIA MODELO', document: '***000202**', role: 'Sócio-Administrador' } },
    ],
    [
      'partner_left',
      { ...MONTH, Socios0: rowsOf(MONTH, 'Socios0').slice(1) },
      { before: 'ANA DE TAL', after: null, partner: { document: '***000101**', entryDate: '2012-03-14' } },
    ],
    [
      'branch_opened',
      changed(MONTH, {}, { Estabelecimentos0: [establishment(ROOT, '0002')] }),
      { before: null, after: 'ATIVA', establishment: cnpjOf(ROOT, '0002') },
    ],
  ])('have a change of %s, and no other', async (field, after, values) => {
    const { own, answer } = await changesOf(MONTH, after);
    expect(answer).toMatchObject({
      dataAsOf: '2026-11-14',
      value: {
        coveredFrom: '2026-10-14',
        coveredTo: '2026-11-14',
        hasMore: false,
        changes: [{ field, extractFrom: '2026-10-14', extractTo: '2026-11-14', ...values }],
      },
    });
    expect(await historyOf(own, cnpjOf('99100001'))).toMatchObject({ value: { changes: [], coveredFrom: '2026-10-14' } });
  });

  it('report a closed branch in the history of every establishment, and its other changes in its own only', async () => {
    const branch = cnpjOf(ROOT, '0002');
    const before = changed(MONTH, {}, { Estabelecimentos0: [establishment(ROOT, '0002')] });
    const after = changed(MONTH, {}, { Estabelecimentos0: [establishment(ROOT, '0002', { 5: '08', 11: '4120400' })] });
    const { own, answer } = await changesOf(before, after);
    const closed = { field: 'branch_closed', before: 'ATIVA', after: 'BAIXADA', establishment: branch };
    expect(answer).toMatchObject({ value: { changes: [closed] } });
    expect(await historyOf(own, branch)).toMatchObject({ value: { changes: [{ field: 'activity', establishment: branch }, closed] } });
  });

  it('have no change of partners that are written in another order, or of a company partner under another name or document', async () => {
    const people = [partner(ROOT), partner(ROOT), partner(ROOT, 'BIA MODELO')];
    const owner = (name: string, document: string) => partner(ROOT, name, { 1: '1', 3: document });
    const { answer } = await changesOf(
      { ...MONTH, Socios0: [...people, owner('NOME CERTO', '99100001')] },
      { ...MONTH, Socios0: [owner('NOME ERRADO', cnpjOf('99100001')), ...people.toReversed()] },
    );
    expect(answer).toMatchObject({ value: { changes: [] } });
  });

  it('count two partners with the same name and visible digits as two', async () => {
    const { answer } = await changesOf({ ...MONTH, Socios0: [partner(ROOT)] }, { ...MONTH, Socios0: [partner(ROOT), partner(ROOT)] });
    expect(answer).toMatchObject({ value: { changes: [{ field: 'partner_joined', partner: { name: 'ANA DE TAL' } }] } });
  });

  it('report a new company by one change, without its partners and establishments', async () => {
    const { answer, own } = await changesOf(MONTH, monthOf(4), cnpjOf('99100003'));
    expect(answer).toMatchObject({ value: { changes: [{ field: 'registered', before: null, after: null }] } });
    expect(await historyOf(own, cnpjOf('99100004'))).toMatchObject({ value: null });
  });

  it('report a company that is no longer in the registry, whose earlier history is unknown', async () => {
    const { answer } = await changesOf(monthOf(4), MONTH, cnpjOf('99100003'));
    expect(answer).toMatchObject({ value: { coveredFrom: '2026-11-14', changes: [{ field: 'removed' }] } });
  });

  it('mask a CPF in a name', async () => {
    const { answer } = await changesOf(
      changed(MONTH, { Empresas0: company(ROOT, 'ANA DE TAL 52998224725').with(2, '2135') }),
      changed(MONTH, { Empresas0: company(ROOT, 'BIA 52998224725').with(2, '2135') }, { Socios0: [partner(ROOT, 'CARLA 529982247 25')] }),
    );
    expect(answer).toMatchObject({
      value: { changes: [{ after: 'CARLA ***982247**' }, { before: 'ANA DE TAL ***982247**', after: 'BIA ***982247**' }] },
    });
    const { rows } = await knex().raw("SELECT coalesce(jsonb_agg(c), '[]')::text AS text FROM receita_changes c");
    expect(rows[0].text).not.toMatch(/52998224725|529982247 25/);
  });

  it('are read page by page, and by field', async () => {
    const after = changed(MONTH, { Empresas0: [ROOT, 'OUTRA LTDA', '2054', '49', '1,00', '01', ''] });
    const { own } = await changesOf(MONTH, after);
    const names: string[] = [];
    for (let next: number | null = null, more = true; more; ) {
      const page = await historyOf(own, CNPJ, { first: 1, after: next });
      if (!page || !('value' in page) || !page.value) throw new Error('a page has a value');
      names.push(...page.value.changes.map(({ field }) => field));
      next = page.value.changes.at(-1)?.seq ?? null;
      more = page.value.hasMore;
    }
    expect(names.toSorted()).toEqual(['capital', 'name', 'nature', 'size']);
    expect(await historyOf(own, CNPJ, { fields: ['size'] })).toMatchObject({ value: { changes: [{ field: 'size' }] } });
  });
});

describe('what is not known', () => {
  it('is an error while no two extracts were compared', async () => {
    const own = copy();
    expect(await historyOf(own)).toMatchObject({ code: 'NO_RECORD_THEN' });
    await own.load(await folderOf(MONTH));
    expect(await historyOf(own)).toMatchObject({ code: 'NO_RECORD_THEN', message: expect.stringContaining('2026-11-14') });
  });

  it('begins the history of a company anew when a row of it could not be read', async () => {
    const own = copy();
    const broken = { ...MONTH, Socios0: lineOf(partner(ROOT, 'X', { 1: '7' })) + lineOf(partner('99100001')) };
    await own.load(await folderOf(MONTH, 'D60914'));
    await own.load(await folderOf(broken, 'D61014'));
    expect(await historyOf(own)).toMatchObject({ code: 'NO_RECORD_THEN' });
    await own.load(await folderOf(changed(MONTH, { Empresas0: company(ROOT, 'NOVO NOME LTDA') }), 'D61114'));
    expect(await historyOf(own)).toMatchObject({ code: 'NO_RECORD_THEN' });
    expect(await historyOf(own, cnpjOf('99100001'))).toMatchObject({ value: { coveredFrom: '2026-09-14', changes: [] } });
  });
});

describe('the differences of several months', () => {
  const named = (name: string) => changed(MONTH, { Empresas0: company(ROOT, name) });
  const namesOf = async (own: Copy) => {
    const answer = await historyOf(own);
    return answer && 'value' in answer ? answer.value?.changes.map(({ before, after }) => [before, after]) : answer?.code;
  };

  it('are written without locking out a reader while a statement reads others', async () => {
    const own = copy();
    await own.load(await folderOf(MONTH, 'D61014'));
    const backup = await knex().transaction();
    onTestFinished(() => void backup.rollback()); // also if the test fails: it would block all later ones
    await backup.raw('SELECT count(*) FROM receita_changes');
    const importing = own.load(await folderOf(monthOf(4), 'D61114'));
    await expect
      .poll(
        async () => {
          const { rows } = await knex().raw(
            `SELECT count(*)::int AS n FROM pg_locks WHERE relation = 'receita_changes'::regclass AND NOT granted`,
          );
          return rows[0].n;
        },
        { timeout: 20_000, interval: 10 },
      )
      .toBeGreaterThan(0);
    await knex().transaction(async (trx) => {
      await trx.raw(`SET LOCAL statement_timeout = '5s'`);
      await trx.raw('SELECT count(*) FROM receita_changes');
    });
    await backup.rollback();
    expect(await importing).toMatchObject({ outcome: 'loaded' });
  });

  it('are removed by a rollback and made anew by the next import, each change once', async () => {
    const own = copy();
    await own.load(await folderOf(named('UM'), 'D60914'));
    await own.load(await folderOf(named('DOIS'), 'D61014'));
    await own.load(await folderOf(named('TRES'), 'D61114'));
    expect(await namesOf(own)).toEqual([
      ['DOIS', 'TRES'],
      ['UM', 'DOIS'],
    ]);
    await own.rollBack();
    expect(await namesOf(own)).toEqual([['UM', 'DOIS']]);
    await own.rollBack();
    expect(await namesOf(own)).toHaveLength(2);
    await own.rollBack();
    await own.load(await folderOf(named('QUATRO'), 'D61120'));
    expect(await namesOf(own)).toEqual([
      ['DOIS', 'QUATRO'],
      ['UM', 'DOIS'],
    ]);
    const { rows } = await knex().raw('SELECT count(*)::int AS n FROM receita_comparisons WHERE origin = ?', [own.origin]);
    expect(rows[0].n).toBe(2);
  });

  it('are kept for the months of the setting', async () => {
    const own = copy(undefined, { historyMonths: 1 });
    for (const [name, date] of [
      ['UM', 'D60814'],
      ['DOIS', 'D60914'],
      ['TRES', 'D61014'],
      ['QUATRO', 'D61114'],
    ] as const)
      await own.load(await folderOf(named(name), date));
    expect(await namesOf(own)).toEqual([['TRES', 'QUATRO']]);
    const { rows } = await knex().raw(
      `SELECT count(*)::int AS n FROM pg_inherits WHERE inhparent = 'receita_changes'::regclass
         AND inhrelid::regclass::text IN (SELECT 'receita_changes_c' || id FROM receita_comparisons WHERE origin = ?)`,
      [own.origin],
    );
    expect(rows[0].n).toBe(1);
  });

  it('begin anew with an extract that is older than the current one', async () => {
    const own = copy();
    await own.load(await folderOf(named('UM'), 'D61014'));
    await own.load(await folderOf(named('DOIS'), 'D61114'));
    await own.load(await folderOf(named('UM'), 'D61014'));
    expect(await namesOf(own)).toBe('NO_RECORD_THEN');
  });
});

describe('a month with too many changes of one field', () => {
  const COUNT = 600;
  const whole = monthOf(COUNT);
  it.each<[string, Files]>([
    ['names', { Empresas0: roots(COUNT).map((root, i) => company(root, i < 15 ? `OUTRA ${root}` : undefined)) }],
    ['partners', { Socios0: rowsOf(whole, 'Socios0').map((row, i) => (i < 15 ? row.with(2, `PESSOA ${i}`) : row)) }],
    ['addresses', { Estabelecimentos0: rowsOf(whole, 'Estabelecimentos0').map((row, i) => (i < 15 ? row.with(19, 'MG') : row)) }],
  ])('is refused, and can be approved by an operator: %s', async (_, files) => {
    const own = copy();
    await own.load(await folderOf(whole, 'D61014'));
    const folder = await folderOf({ ...whole, ...files });
    await expect(own.load(folder)).rejects.toMatchObject({ reason: 'implausible' });
    expect(await historyOf(own)).toMatchObject({ code: 'NO_RECORD_THEN' });
    expect(await own.load(folder, { force: true })).toMatchObject({ outcome: 'loaded' });
    expect(await historyOf(own)).toMatchObject({ value: { coveredTo: '2026-11-14' } });
  });
});
