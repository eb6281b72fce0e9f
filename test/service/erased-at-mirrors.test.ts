import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { maskedCpf, personName } from '../../sandbox/world/brazil/company.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { DAY_MS, SECOND_MS } from '../../src/domain/time.ts';
import { insertSuppression } from '../../src/sources/receita-federal/copy/store/suppressions.ts';
import { type Suppressed, suppressionHash } from '../../src/sources/receita-federal/copy/suppression.ts';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { loadSandboxCopy } from '../support/registry-copy.ts';

const QUIPU_KEY_SECRET = 'a secret that this test knows';
const PERSON = { kind: 'person', name: 'Elisa Pereira Alhures', document: '***000082**' } as const;
const ERASED = { name: '', identifier: null, entity_type: 'individual' };

const clock = { now: Date.now() };
const company = (scenario: string) => ({ identifier: companyByScenario(scenario).cnpj, country: 'BR' });
const rootOf = (scenario: string): string => companyByScenario(scenario).cnpj.slice(0, 8);

let app: TestApp;
const inMode = (mode: string) => testApp({ env: { QUIPU_RECEITA_MODE: mode, QUIPU_KEY_SECRET }, now: () => clock.now });

/** Erases until the test ends. Processes see it within five seconds. */
async function erase(one: Suppressed): Promise<void> {
  await insertSuppression(app.db, { hash: suppressionHash(QUIPU_KEY_SECRET)(one), kind: one.kind, note: null, createdAt: clock.now });
  clock.now += 6 * SECOND_MS;
  await app.sources.use(receitaFederal).erasures.read();
}
afterEach(async () => {
  await app.db('receita_suppressions').delete();
  clock.now += 6 * SECOND_MS;
});

const ownersOf = async (scenario: string) => {
  const { status, body } = await app.post('/v1/owners', company(scenario));
  return { status, code: body.code, owners: body.owners };
};
const names = ({ owners }: { owners: readonly { name: string }[] }) => owners.map(({ name }) => name);

describe.each(['while the copy is missing', 'while the copy is overdue', 'of which the copy lacks the company'])(
  'CG-06 in the mode copy-then-live, what the operator has erased, %s,',
  (state) => {
    beforeAll(async () => {
      clock.now = Date.now();
      app = await inMode('copy-then-live');
      if (state.includes('missing')) return;
      await loadSandboxCopy(app);
      if (state.includes('overdue')) clock.now += 80 * DAY_MS;
      const { rows } = await app.db.raw('SELECT max(id) AS id FROM receita_versions');
      if (state.includes('lacks'))
        for (const table of ['companies', 'establishments', 'partners'])
          for (const root of ['group-leaf', 'owners-foreign'].map(rootOf))
            await app.db.raw('DELETE FROM ?? WHERE root = ?', [`receita_${table}_v${rows[0].id}`, root]);
    }, 120_000);
    afterAll(() => app.close());

    it('has no name and no id as a partner, also where an answer was in a cache', async () => {
      expect(names(await ownersOf('group-leaf'))).toContain('ELISA PEREIRA ALHURES');
      await erase(PERSON);
      const { status, owners } = await ownersOf('group-leaf');
      expect(status).toBe(200);
      expect(owners).toContainEqual(expect.objectContaining(ERASED));
      expect(JSON.stringify(owners)).not.toMatch(/ELISA|000082/);
      expect(owners).toContainEqual(expect.objectContaining({ name: 'ANDAR DO MEIO PARTICIPACOES LTDA' }));
    });

    it('is a failed source as a company, and never absent', async () => {
      expect((await ownersOf('group-leaf')).status).toBe(200);
      await erase({ kind: 'company', root: rootOf('group-leaf') });
      expect(await ownersOf('group-leaf')).toMatchObject({ status: 503, code: 'source_unavailable' });
      expect(await app.post('/v1/kyb', company('group-leaf'))).toMatchObject({ status: 503, body: { code: 'source_unavailable' } });
      expect((await ownersOf('group-neighbour')).status).toBe(200);
    });

    it('is no representative of a partner either', async () => {
      const foreign = async () => (await ownersOf('owners-foreign')).owners[0];
      const name = (await foreign()).legal_rep_name;
      expect(name).toBe(personName(72));
      await erase({ kind: 'person', name, document: maskedCpf(72) });
      expect(await foreign()).toMatchObject({ legal_rep_name: null, legal_rep_role: null, country: expect.any(String) });
    });

    it('is another person with another CPF', async () => {
      await erase({ ...PERSON, document: '***000083**' });
      expect(names(await ownersOf('group-leaf'))).toContain('ELISA PEREIRA ALHURES');
    });
  },
);

/** Runs `work` while the list of erasures cannot be read. */
async function withoutList(work: () => Promise<void>): Promise<void> {
  await app.db.raw('ALTER TABLE receita_suppressions RENAME TO moved_away');
  await work().finally(() => app.db.raw('ALTER TABLE moved_away RENAME TO receita_suppressions'));
}

describe('CG-06 in the mode copy-then-live, while the list of erasures cannot be read,', () => {
  beforeAll(async () => {
    clock.now = Date.now();
    app = await inMode('copy-then-live');
  }, 120_000);
  afterAll(() => app.close());

  it('a process that never read it calls no mirror', async () => {
    await withoutList(async () => {
      expect(await ownersOf('group-leaf')).toMatchObject({ status: 503, code: 'source_unavailable' });
    });
    expect((await ownersOf('group-leaf')).status).toBe(200);
  });

  it('the list of the last reading counts', async () => {
    await erase(PERSON);
    await withoutList(async () => {
      clock.now += 6 * SECOND_MS;
      const { owners } = await ownersOf('group-leaf');
      expect(names({ owners })).not.toContain('ELISA PEREIRA ALHURES');
    });
  });
});
