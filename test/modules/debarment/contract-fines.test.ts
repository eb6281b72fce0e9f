import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { formatNit, nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { type TestApp, testApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const nit = (scenario: string): string => colombianByScenario(scenario).nit;
const fines = (identifier: string, country = 'CO', key?: string) => app.post('/v1/contract-fines', { identifier, country }, key);

describe('POST /v1/contract-fines', () => {
  it('returns the fines of both lists, newest first, once each, and no ban', async () => {
    const { status, body } = await fines(nit('co-fined'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      identifier: nit('co-fined'),
      country: 'CO',
      is_debarred: false,
      sources_checked: ['MULTAS_SECOP_I', 'MULTAS_SECOP_II'],
      names_compared: true,
      unassigned_fines: 2,
      coverage: expect.stringContaining('A company without a record may have been fined'),
    });
    expect(
      body.records.map(({ source, kind, amount, is_historical }: Record<string, unknown>) => [source, kind, amount, is_historical]),
    ).toEqual([
      ['MULTAS_SECOP_II', 'Multa', 980_000, false],
      ['MULTAS_SECOP_II', 'Clausula Penal', 5_000_000, false],
      ['MULTAS_SECOP_I', null, 3_797_492, false],
      ['MULTAS_SECOP_I', null, 0, true],
    ]);
    expect(body.records[0]).toMatchObject({
      entity: expect.any(String),
      entity_tax_id: expect.stringMatching(/^9995/),
      resolution: 'ACTO-1',
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      contract: expect.stringMatching(/^CO1\.PCCNTR\.\d+$/),
      process_id: expect.stringMatching(/^CO1\.BDOS\.\d+$/),
    });
  });

  it.each(['dotted', 'without its check digit'])('finds a company by its NIT %s', async (form) => {
    const whole = nit('co-fined');
    const text = form === 'dotted' ? formatNit(whole) : whole.slice(0, -1);
    expect((await fines(text)).body.records).toHaveLength(4);
  });

  it('is 200 without records for a company without fines, and shows nobody by an identity card', async () => {
    expect((await fines(nit('co-supplier'))).body).toMatchObject({ is_debarred: false, records: [] });
    const cedula = '79900101';
    expect((await fines(`${cedula}-${nitCheckDigit(cedula)}`)).body.records).toEqual([]);
  });

  it('refuses other countries and keys without the module', async () => {
    expect((await fines('67.000.010-9', 'CL')).body).toMatchObject({ status: 422, code: 'unsupported_country' });
    expect((await fines(nit('co-fined'), 'CO', await app.keyFor('kyb'))).status).toBe(403);
  });
});

describe('Company.contractFines', () => {
  it('returns the fines of a Colombian company, and null without an error for other countries', async () => {
    const fields =
      '{ contractFines { isDebarred unassignedFines coverage sourcesChecked records { id source kind amount isHistorical } } }';
    const { body } = await app.query(`{
      fined: company(identifier: "${nit('co-fined')}", country: CO) ${fields}
      chilean: company(identifier: "67.000.010-9", country: CL) ${fields}
    }`);
    expect(body.errors).toBeUndefined();
    expect(body.data.chilean.contractFines).toBeNull();
    const { records, ...rest } = body.data.fined.contractFines;
    expect(rest).toMatchObject({ isDebarred: false, unassignedFines: 2, sourcesChecked: ['MULTAS_SECOP_I', 'MULTAS_SECOP_II'] });
    expect(new Set(records.map(({ id }: { id: string }) => id)).size).toBe(4);
  });

  it('is counted for the module debarment', async () => {
    const key = await app.keyFor('debarment');
    const { body } = await app.query(
      `{ company(identifier: "${nit('co-moved')}", country: CO) { contractFines { records { id } } } }`,
      {},
      key,
    );
    expect(body.data.company.contractFines.records).toEqual([]);
    expect(body.extensions.cost.counted).toEqual({ DEBARMENT: 1 });
  });
});

describe('a company that a fine without a known contractor may be about', () => {
  it('is not cleared while its name is not known', async () => {
    const { status, body } = await fines(nit('co-unknown-state'));
    expect([status, body.code]).toEqual([503, 'source_unavailable']);
    expect(body.detail).toContain('rows whose tax id cannot be read');
  });
});

describe('a company that is not in the register', () => {
  it.each(['co-consortium', 'co-never-registered'])('UP-03 has an answer that says that no name was compared: %s', async (scenario) => {
    const { status, body } = await fines(nit(scenario));
    expect([status, body.records, body.names_compared]).toEqual([200, [], false]);
  });
});

describe('a fined company while the register fails', () => {
  const NIT = nit('co-supplier');
  let other: TestApp; // without cached answers of the register
  beforeAll(async () => {
    other = await testApp();
    other.sandbox?.faults.set('rues', { mode: 'html_200' });
    await fetch(`${other.sandbox?.url}/_control/lists/MULTAS_SECOP_I/${NIT}`, { method: 'PUT' });
    await other.sources.copies.find(({ name }) => name === 'MULTAS_SECOP_I')?.sync();
  });
  afterAll(() => other.close());

  it.each([
    ['both lists', 'co-fined', 4],
    ['one list', 'co-supplier', 1],
  ])('has its records of %s by its NIT, and an answer that says that its names were not compared', async (_, scenario, count) => {
    const { status, body } = await other.post('/v1/contract-fines', { identifier: nit(scenario), country: 'CO' });
    expect([status, body.records?.length, body.names_compared]).toEqual([200, count, false]);
    expect(body.sources_checked).toEqual(['MULTAS_SECOP_I', 'MULTAS_SECOP_II']);
  });

  it('has a verdict that is not complete', async () => {
    const { body } = await other.post('/v1/compliance', { identifier: NIT, country: 'CO' });
    expect(body).toMatchObject({ completeness: 'partial', sources_failed: ['kyb', 'owners'] });
    expect(body.checks.contract_fines).toMatchObject({ names_compared: false, records: [{ source: 'MULTAS_SECOP_I' }] });
  });

  it('is not cleared without a record', async () => {
    expect((await other.post('/v1/contract-fines', { identifier: nit('co-moved'), country: 'CO' })).status).toBe(503);
  });

  it('has its records after some 3 s while the register hangs, and a company without a record waits for its names', async () => {
    other.sandbox?.faults.set('rues', { mode: 'hung' });
    const before = performance.now();
    const { status, body } = await other.post('/v1/contract-fines', { identifier: NIT, country: 'CO' });
    expect([status, body.records?.length, body.names_compared]).toEqual([200, 1, false]);
    expect(body.sources_checked).toEqual(['MULTAS_SECOP_I', 'MULTAS_SECOP_II']);
    expect(performance.now() - before).toBeLessThan(6_000);

    other.sandbox?.faults.set('rues', { mode: 'slow', ms: 3_500 });
    const clean = await other.post('/v1/contract-fines', { identifier: nit('co-moved'), country: 'CO' });
    expect([clean.status, clean.body.records, clean.body.names_compared]).toEqual([200, [], true]);
  });
});
