import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { createAccounts } from '../../../src/auth/accounts/accounts.ts';
import type { OptionalList } from '../../../src/domain/optional-lists.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const cnpjOf = (scenario: string): string => companyByScenario(scenario).cnpj;
const BANS = ['CEPIM', 'TCU_INIDONEOS', 'BCB_PROIBIDOS'] as const;

let app: TestApp;
/** Keys of accounts that have chosen lists for their answers, and for their verdicts. */
let answering: string;
let deciding: string;
beforeAll(async () => {
  app = await testApp();
  answering = await keyOf('answering', { lists: ['CEPIM'] });
  deciding = await keyOf('deciding', { verdictLists: BANS });
});
afterAll(() => app.close());

async function keyOf(name: string, lists: { lists?: readonly OptionalList[]; verdictLists?: readonly OptionalList[] }): Promise<string> {
  await createAccounts({ db: app.db, now: Date.now, actor: 'operator ana' }).create({ name, ...lists });
  return (await app.keys.create({ name, account: name, modules: ['debarment', 'compliance_br'] })).key;
}

const debarment = async (scenario: string, include?: readonly string[], key?: string) =>
  (await app.post('/v1/debarment', { identifier: cnpjOf(scenario), country: 'BR', ...(include && { include }) }, key)).body;
const verdict = async (scenario: string, key?: string) => (await app.post('/v1/compliance-br', { cnpj: cnpjOf(scenario) }, key)).body;

describe('POST /v1/debarment', () => {
  it('reads CEIS and CNEP alone without a choice, and its reply has the fields of the contract', async () => {
    for (const scenario of ['lists-all', 'leniency', 'clean']) {
      expect(await debarment(scenario)).toEqual({
        identifier: cnpjOf(scenario),
        country: 'BR',
        is_debarred: false,
        records: [],
        sources_checked: ['CEIS', 'CNEP'],
        checked_at: expect.any(String),
      });
    }
    const [record] = (await debarment('debarred-ceis', BANS)).records;
    expect(Object.keys(record)).toEqual(Object.keys((await debarment('debarred-ceis')).records[0]));
  });

  it('names the chosen lists and returns their records with what only they have', async () => {
    const body = await debarment('lists-all', [...BANS].reverse());
    expect(body.sources_checked).toEqual(['CEIS', 'CNEP', ...BANS]);
    expect(body).toMatchObject({ is_debarred: true });
    expect(body.records.map(({ source }: { source: string }) => source)).toEqual(['TCU_INIDONEOS', 'BCB_PROIBIDOS', 'CEPIM']);
    expect(body).not.toHaveProperty('agreements');
    expect(body.records[2]).toEqual({
      source: 'CEPIM',
      sanction_type: 'IMPEDIMENTO',
      sanctioning_body: 'Ministério dos Exemplos - Unidades com vínculo direto',
      date_start: null,
      date_end: null,
      process_id: null,
      fine_amount: null,
      status: 'active',
      matched_on: 'cnpj',
      reference: '700102',
      reason: 'NAO APRESENTACAO DA PRESTACAO DE CONTAS',
    });
  });

  it.each([
    { scenario: 'grants-barred', include: ['CEPIM'], records: 3, matchedOn: 'cnpj' },
    { scenario: 'grants-barred-branch', include: ['CEPIM'], records: 3, matchedOn: 'root' },
    { scenario: 'unfit-tcu', include: ['TCU_INIDONEOS'], records: 2, matchedOn: 'cnpj' },
    { scenario: 'prohibited-bcb', include: ['BCB_PROIBIDOS'], records: 2, matchedOn: 'cnpj' },
  ])('$scenario is debarred on $include', async ({ scenario, include, records, matchedOn }) => {
    const body = await debarment(scenario, include);
    expect([body.is_debarred, body.records.length, body.records[0].matched_on]).toEqual([true, records, matchedOn]);
  });

  it('takes an ended record of a chosen list for history', async () => {
    expect(await debarment('unfit-tcu-ended', ['TCU_INIDONEOS'])).toMatchObject({ is_debarred: false, records: [{ status: 'ended' }] });
  });

  it('returns leniency agreements as information, never as a ban', async () => {
    const body = await debarment('leniency', ['ACORDO_LENIENCIA']);
    expect(body).toMatchObject({ is_debarred: false, records: [], sources_checked: ['CEIS', 'CNEP', 'ACORDO_LENIENCIA'] });
    expect(body.agreements).toMatchObject([{ situation: 'Em Execução', date_end: '2040-07-01', matched_on: 'cnpj' }]);
    expect((await debarment('clean', ['ACORDO_LENIENCIA'])).agreements).toEqual([]);
  });

  it('reads the lists of the account where the request chooses none, and no list for an empty choice', async () => {
    expect((await debarment('grants-barred', undefined, answering)).sources_checked).toEqual(['CEIS', 'CNEP', 'CEPIM']);
    expect((await debarment('grants-barred', [], answering)).sources_checked).toEqual(['CEIS', 'CNEP']);
  });

  it('refuses an unknown list', async () => {
    const { status, body } = await app.post('/v1/debarment', { identifier: cnpjOf('clean'), country: 'BR', include: ['CEAF'] });
    expect([status, body.detail]).toEqual([422, expect.stringContaining('CEPIM, TCU_INIDONEOS')]);
  });
});

describe('Company.debarment', () => {
  it('takes the choice as an argument, beside an answer without one', async () => {
    const { body } = await app.query(`{ company(identifier: "${cnpjOf('prohibited-bcb')}") {
      plain: debarment { isDebarred records { source } agreements { situation } }
      more: debarment(include: [BCB_PROIBIDOS, ACORDO_LENIENCIA]) {
        isDebarred sourcesChecked records { source sanctionType dateEnd endText reference reason } agreements { situation }
      }
    } }`);
    expect(body.errors).toBeUndefined();
    expect(body.data.company).toEqual({
      plain: { isDebarred: false, records: [], agreements: null },
      more: {
        isDebarred: true,
        sourcesChecked: ['CEIS', 'CNEP', 'BCB_PROIBIDOS', 'ACORDO_LENIENCIA'],
        records: [
          { source: 'BCB_PROIBIDOS', sanctionType: 'PROIBIÇÃO', dateEnd: null, endText: 'Consolidado', reference: null, reason: null },
          { source: 'BCB_PROIBIDOS', sanctionType: 'PROIBIÇÃO', dateEnd: '2031-02-15', endText: null, reference: null, reason: null },
        ],
        agreements: [],
      },
    });
  });
});

describe('the verdict', () => {
  it('reads no optional list without the choice of the account, whatever its answers include', async () => {
    for (const key of [undefined, answering]) {
      const body = await verdict('lists-all', key);
      expect([body.risk_level, body.risk_reasons, body.completeness]).toEqual(['low', [], 'complete']);
      expect(body.checks.debarment).toEqual({ is_debarred: false, records: [], sources_checked: ['CEIS', 'CNEP'] });
    }
  });

  it('is medium by a record in force of a list that the account has chosen for its verdicts', async () => {
    const body = await verdict('lists-all', deciding);
    expect([body.risk_level, body.completeness]).toEqual(['medium', 'complete']);
    expect(body.risk_reasons).toEqual([
      'debarment.record: 1 record on TCU_INIDONEOS (INIDONEIDADE by Tribunal de Contas da União, active)',
      'debarment.record: 1 record on BCB_PROIBIDOS (PROIBIÇÃO by Banco Central do Brasil, active)',
      'debarment.record: 1 record on CEPIM (IMPEDIMENTO by Ministério dos Exemplos - Unidades com vínculo direto, active)',
    ]);
    expect(body.checks.debarment.sources_checked).toEqual(['CEIS', 'CNEP', ...BANS]);
  });

  it('is low by an ended record of such a list, and by a leniency agreement', async () => {
    for (const scenario of ['unfit-tcu-ended', 'leniency']) expect((await verdict(scenario, deciding)).risk_level).toBe('low');
  });

  it('names the lists in its receipt', async () => {
    const { body } = await app.post('/v1/compliance-br', { cnpj: cnpjOf('lists-all'), receipt: true }, deciding);
    const sources = body.evidence.receipt.sources.filter(({ check }: { check: string }) => check === 'debarment');
    expect(sources.map(({ source, outcome }: { source: string; outcome: string }) => [source, outcome])).toEqual(
      ['CEIS', 'CNEP', ...BANS].map((list) => [list, 'answered']),
    );
  });
});

describe('a chosen list that cannot be read', () => {
  let broken: TestApp;
  let key: string;
  beforeAll(async () => {
    broken = await testApp({ env: { QUIPU_CEPIM_URL: 'file:///nowhere/20261001_CEPIM.csv' } });
    await createAccounts({ db: broken.db, now: Date.now, actor: 'operator ana' }).create({ name: 'a', verdictLists: ['CEPIM'] });
    key = (await broken.keys.create({ name: 'a', account: 'a', modules: ['compliance_br'] })).key;
  });
  afterAll(() => broken.close());

  const ask = (scenario: string, include?: readonly string[]) =>
    broken.post('/v1/debarment', { identifier: cnpjOf(scenario), country: 'BR', include });

  it('does not clear a company, and a record of another list still counts', async () => {
    expect((await ask('clean', ['CEPIM'])).status).toBe(503);
    expect((await ask('debarred-ceis', ['CEPIM'])).body).toMatchObject({ is_debarred: true, sources_checked: ['CEIS', 'CNEP'] });
    expect((await ask('unfit-tcu', ['CEPIM', 'TCU_INIDONEOS'])).body).toMatchObject({
      is_debarred: true,
      sources_checked: ['CEIS', 'CNEP', 'TCU_INIDONEOS'],
    });
  });

  it('is not made up for by an ended record, or by a leniency agreement', async () => {
    expect((await ask('unfit-tcu-ended', ['CEPIM', 'TCU_INIDONEOS'])).status).toBe(503);
    expect((await ask('leniency', ['CEPIM', 'ACORDO_LENIENCIA'])).status).toBe(503);
  });

  it('changes no answer without it', async () => {
    expect((await ask('clean')).body).toMatchObject({ is_debarred: false, sources_checked: ['CEIS', 'CNEP'] });
  });

  it('makes the verdict of an account that has chosen it incomplete', async () => {
    const { body } = await broken.post('/v1/compliance-br', { cnpj: cnpjOf('clean') }, key);
    expect(body).toMatchObject({ risk_level: 'low', completeness: 'partial', sources_failed: ['debarment'], checks: { debarment: null } });
    const listed = await broken.post('/v1/compliance-br', { cnpj: cnpjOf('debarred-ceis') }, key);
    expect(listed.body).toMatchObject({ risk_level: 'medium', completeness: 'partial', sources_failed: [] });
  });
});
