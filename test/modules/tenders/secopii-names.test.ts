import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { secopii } from '../../../src/modules/tenders/sources/secopii/secopii.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { built } from './built.ts';

const NIT = '9009647055';
const row = (documento_proveedor: string | number, proveedor_adjudicado?: string, firmado?: string) => ({
  documento_proveedor,
  proveedor_adjudicado,
  firmado,
});

/** Reads the names of these companies from a portal with this answer. */
async function namesFrom(reply: Reply, nits: readonly string[] = [NIT]) {
  const portal = await upstream(() => reply);
  return built(secopii, { url: portal.url }).names(nits);
}
const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'secopii' } };

describe('the names of suppliers in SECOP II', () => {
  it('are those of their newest contracts, in the order of the NITs, and null without contracts', async () => {
    const body = [
      row('900964705', 'NOMBRE VIEJO LTDA', '2019-01-01T00:00:00.000'),
      row('900.964.705-5', 'NOMBRE NUEVO S.A.S.', '2024-01-01T00:00:00.000'),
      row('900964705', 'BORRADOR SIN FECHA'),
      row('0800123456', 'OTRA S.A.', '2020-01-01T00:00:00.000'),
    ];
    const other = `800123456${nitCheckDigit('800123456')}`;
    const unknown = `890900001${nitCheckDigit('890900001')}`;
    expect(await namesFrom({ body }, [unknown, NIT, other])).toEqual([null, 'NOMBRE NUEVO S.A.S.', 'OTRA S.A.']);
  });

  it('are read beside a NIT that is a number in JSON', async () => {
    expect(await namesFrom({ body: [row(900_964_705, 'NOMBRE S.A.S.')] })).toEqual(['NOMBRE S.A.S.']);
  });

  it('are null where the portal prints none', async () => {
    expect(await namesFrom({ body: [row('900964705'), row('9009647055', 'No Definido')] })).toEqual([null]);
  });

  it.each<[string, Reply]>([
    ['answers for a company that was not asked for', { body: [row('800123456', 'AJENA S.A.')] }],
    ['has renamed a column', { status: 400, body: { errorCode: 'query.soql.no-such-column', message: 'x' } }],
    ['answers with HTML', { body: '<html>' }],
  ])('UP-03 fail when the portal %s', async (_, reply) => {
    await expect(namesFrom(reply)).rejects.toMatchObject(unavailable);
  });
});

describe('the name of a Colombian company for a key without kyb', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app.close());

  const NAMES = 'query ($ids: [String!]!) { companies(identifiers: $ids) { name } }';
  const known = ['co-supplier', 'co-supplier-dotted', 'co-supplier-dv', 'co-drafts-only'].map(colombianByScenario);
  const unknown = Array.from({ length: 116 }, (_, i) => String(999_100_001 + i)).map((base) => `${base}-${nitCheckDigit(base)}`);
  const calls = () => app.sandbox?.requestsTo('secopii').length ?? 0;

  it('GQ-11 comes with one call for every fifty companies, beside those of other countries', async () => {
    const before = calls();
    const ids = [companyByScenario('clean').cnpj, ...known.map(({ nit }) => nit), ...unknown];
    const { body } = await app.query(NAMES, { ids }, await app.keyFor('tenders', 'owners'));
    expect(body.errors).toBeUndefined();
    const [brazilian, ...colombian] = body.data.companies.map(({ name }: { name: string | null }) => name);
    expect(brazilian).toBe(companyByScenario('clean').name);
    expect(colombian).toEqual([...known.map(({ name }) => name), ...unknown.map(() => null)]);
    expect(calls() - before).toBe(3);
  });

  it('is counted for tenders where there is one, and not where there is none', async () => {
    const { body } = await app.query(NAMES, { ids: [...known.map(({ nit }) => nit), unknown[0]] }, await app.keyFor('tenders'));
    expect(body.extensions.cost.counted).toEqual({ TENDERS: known.length });
  });

  it('is null without an error for a key without tenders and kyb', async () => {
    const { body } = await app.query(NAMES, { ids: [known[0]?.nit] }, await app.keyFor('sanctions'));
    expect(body).toMatchObject({ data: { companies: [{ name: null }] } });
    expect(body.errors).toBeUndefined();
  });
});
