import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { suppressCommand } from '../../src/cli/suppress.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { monitorService } from '../../src/modules/monitor/service/monitor.ts';
import { answer, node, type TestRegistry, testRegistry } from '../modules/monitor/registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from '../modules/monitor/support.ts';
import { partner } from '../sources/receita-answers.ts';
import { runCommand } from '../support/command.ts';
import { type TestDb, testDb } from '../support/db.ts';

/** Erasures of people and companies that monitors watch. */

let db: TestDb;
let now: number;
let registry: TestRegistry;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await deleteMonitors(db.knex);
  await db.knex.raw('TRUNCATE receita_suppressions');
  now = Date.parse('2026-11-21T00:00:00Z');
  registry = await testRegistry();
});

const ANA = ['ANA DE ASSUNÇÃO', '***111222**'];
const NAMESAKE = ['ANA DE ASSUNÇÃO', '***333444**'];
const BIA = ['BIA MODELO', '***555666**'];
const say = (n: number, ...people: readonly (readonly string[])[]) =>
  registry.says.set(cnpj(n), {
    reply: { body: { ...answer(cnpj(n)), qsa: people.map(([name, cpf]) => ({ ...partner, nome_socio: name, cnpj_cpf_do_socio: cpf })) } },
  });
const suppress = (...args: readonly string[]) => runCommand(db, suppressCommand, ['suppress', ...args], { origin: 'sandbox' });
const suppressAna = () => suppress('person', '--name', 'Ana de Assunção', '--document', '***111222**');

/** Creates two watched companies, of which each change is held by share, and functions that check them. */
async function watched() {
  const { open } = node({ db: db.knex, registry, now: () => now, settings: { QUIPU_MONITOR_GUARD_MIN: '1' } });
  await watch(db.knex, companiesOf(2), { now });
  const checkLater = async () => {
    now += 6 * HOUR_MS;
    await open(monitorService).checks.check('BR', new AbortController().signal);
  };
  return { checkLater, quarantine: open(monitorService).quarantine };
}
const heldIds = (): Promise<readonly string[]> => db.knex('held_changes').orderBy('tax_id').pluck('tax_id');
const isStored = async (cpf: string) =>
  JSON.stringify([await db.knex('watched_companies'), await db.knex('held_changes'), await db.knex('changes')]).includes(cpf);

describe('quipu suppress person', () => {
  it.each<[string, readonly (readonly string[])[], readonly (readonly string[])[]]>([
    ['joins', [BIA], [BIA, ANA]],
    ['leaves', [BIA, ANA], [BIA]],
    ['stays', [ANA], [ANA, BIA]],
  ])('erases a held change in which the person %s, so that it is not released', async (_, before, after) => {
    const { checkLater, quarantine } = await watched();
    say(0, ...before);
    say(1, BIA);
    await checkLater();
    say(0, ...after);
    say(1, BIA, NAMESAKE);
    await checkLater();
    expect(await heldIds()).toEqual([cnpj(0), cnpj(1)]);
    expect((await suppressAna()).code).toBe(0);
    expect([await heldIds(), await isStored('***111222**'), await isStored('***333444**')]).toEqual([[cnpj(1)], false, true]);
    expect(await quarantine.release()).toBe(1);
    expect((await changeLog(db.knex)).map(({ company }) => company.taxId)).toEqual([cnpj(1)]);
  });

  it('erases a discarded change with the person, and reports no change when the partners are known again', async () => {
    const { checkLater, quarantine } = await watched();
    say(0, ANA);
    say(1, BIA);
    await checkLater();
    say(0, ANA, BIA);
    say(1, BIA, ANA);
    await checkLater();
    expect(await quarantine.discard()).toBe(2);
    await suppressAna();
    expect(await isStored('***111222**')).toBe(false);
    say(0, BIA);
    say(1, BIA);
    await checkLater();
    expect([await heldIds(), await changeLog(db.knex)]).toEqual([[], []]);
    say(0, BIA, NAMESAKE);
    await checkLater();
    expect(await heldIds()).toEqual([cnpj(0)]);
  });
});

it('quipu suppress company erases its held change, which no check of the company can end any more', async () => {
  const { checkLater } = await watched();
  for (const n of [0, 1]) say(n, BIA);
  await checkLater();
  for (const n of [0, 1]) say(n, ANA);
  await checkLater();
  expect((await suppress('company', cnpj(0).slice(0, 8))).code).toBe(0);
  expect(await heldIds()).toEqual([cnpj(1)]);
});
