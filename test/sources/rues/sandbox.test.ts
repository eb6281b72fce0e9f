import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_MODES } from '../../../sandbox/server/faults.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts';
import { ruesSimulator } from '../../../sandbox/upstreams/rues/simulator.ts';
import { colombianByScenario, colombianCompanies } from '../../../sandbox/world/colombia.ts';
import { PERSONS_NIT } from '../../../sandbox/world/colombian-register.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { RuesFinding } from '../../../src/sources/rues/company.ts';
import { rues } from '../../../src/sources/rues/rues.ts';
import { built } from '../../modules/tenders/built.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ simulators: [ruesSimulator], now: () => NOW });
});
afterAll(() => sandbox.close());

const source = (settings = {}) => built(rues, { url: `${sandbox.url}/rues`, now: () => NOW, settings });
async function findingOf(nit: string): Promise<RuesFinding | string> {
  const [finding] = (await source().companies([nit])).findings;
  return finding instanceof AppError ? finding.code : (finding as RuesFinding);
}
const ask = async (query: string) => {
  const answer = await fetch(`${sandbox.url}/rues/${query}`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>[] & { code?: string } };
};

describe('the simulated register', () => {
  it.each([
    ['co-supplier', { status: 'active', isVerified: true, notRenewedSince: null, lastRenewedYear: 2026 }],
    ['co-cancelled', { status: 'inactive', endedOn: '2019-06-30', foundedOn: '1998-02-28', representative: null }],
    ['co-law-cancelled', { status: 'inactive', endedOn: '2015-07-12', activities: ['F453001'] }],
    ['co-not-renewed', { status: 'active', isVerified: true, notRenewedSince: 2019 }],
    ['co-several-rows', { status: 'active', chamber: 'BOGOTA', foundedOn: '1972-09-05', tradeName: 'FATRECA' }],
    ['co-moved', { status: 'active', foundedOn: '2007-09-04', endedOn: null }],
    ['co-mojibake', { name: 'COMPAÑÍA NARIÑENSE DE CAFÉ S.A.S.', representative: { name: 'IBÁÑEZ FICTICIA JOSÉ' } }],
    ['co-foreign-branch', { status: 'active', isBranch: true, isVerified: true }],
    ['co-branch-left', { status: 'active', isBranch: true, isVerified: false }],
    ['co-old-card', { status: 'inactive', state: 'NO ASIGNADO' }],
    ['co-other-column', { status: 'active', foundedOn: '1999-12-31' }],
    ['co-impossible-dates', { status: 'inactive', foundedOn: null, endedOn: null, lastRenewedYear: null }],
    ['co-company-representative', { representative: { name: 'REPRESENTANTE IMAGINARIA S.A.S.', isCompany: true } }],
  ])('has %s', async (scenario, record) => {
    expect(await findingOf(colombianByScenario(scenario).nit)).toMatchObject({ record });
  });

  it('has no consortium, no unregistered company, no person, and one state that nobody knows', async () => {
    expect(await findingOf(colombianByScenario('co-consortium').nit)).toEqual({ record: null, absence: 'not_in_register' });
    expect(await findingOf(colombianByScenario('co-never-registered').nit)).toEqual({ record: null, absence: 'not_registered' });
    expect(await findingOf(PERSONS_NIT)).toEqual({ record: null, absence: 'not_in_register' });
    expect(await findingOf(colombianByScenario('co-unknown-state').nit)).toBe('SOURCE_UNAVAILABLE');
  });

  it('has the names of the contracts, for all companies at once', async () => {
    const { dataAsOf, findings } = await source().companies(colombianCompanies.map(({ nit }) => nit));
    expect(dataAsOf).toBe('2026-11-01');
    const named = findings.map((one) => (one instanceof AppError ? null : (one.record?.name ?? null)));
    const unlike = colombianCompanies.flatMap(({ scenario, name }, i) => (named[i] === name ? [] : [scenario]));
    expect(unlike).toEqual(['co-consortium', 'co-never-registered', 'co-unknown-state']);
  });

  it('answers as the portal does: rows without empty columns, 1,000 of them at most, and its own errors', async () => {
    const nit = colombianByScenario('co-cancelled').nit.slice(0, -1);
    const { body: rows } = await ask(`resource/c82u-588k.json?$where=nit='${nit}'`);
    expect(rows).toHaveLength(1);
    expect(rows[0]).not.toHaveProperty('representante_legal');
    expect(rows[0]).toMatchObject({ fecha_vigencia: '99991231', digito_verificacion: colombianByScenario('co-cancelled').nit.slice(-1) });
    const { body: all } = await ask('resource/c82u-588k.json');
    expect(new Set(all.flatMap((one) => Object.values(one).map((value) => typeof value)))).toEqual(new Set(['string']));
    expect((await ask('resource/c82u-588k.json?$limit=3')).body).toHaveLength(3);
    expect(await ask('resource/c82u-588k.json?$select=direccion')).toMatchObject({
      status: 400,
      body: { code: 'query.soql.no-such-column' },
    });
    expect(await ask('resource/c82u-588k.json?$select=sigla,primer_apellido')).toMatchObject({ status: 200 });
    expect(await ask('resource/aaaa-bbbb.json')).toMatchObject({ status: 404, body: { code: 'dataset.missing' } });
    expect(await ask('api/views/metadata/v1/c82u-588k')).toMatchObject({ body: { dataUpdatedAt: '2026-11-01T19:15:35+0000' } });
  });

  it('refuses a wrong token, and no token is no failure', async () => {
    const { nit } = colombianByScenario('co-supplier');
    await expect(source({ QUIPU_SECOP_APP_TOKEN: 'wrong' }).companies([nit])).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect((await source({ QUIPU_SECOP_APP_TOKEN: 'a'.repeat(25) }).companies([nit])).findings).toHaveLength(1);
  });

  /** Failures that a request must detect. Missing rows are not detectable; faults that last until the deadline are excluded. */
  const FAULTS = FAULT_MODES.filter(
    (mode) => !['shrunk', 'slow', 'hung', 'silent_after_headers', 'drip', 'endless_body', 'gzip_bomb'].includes(mode),
  );

  it.each(FAULTS)('UP-03 under `%s` returns the same company or fails', async (mode) => {
    const { nit } = colombianByScenario('co-several-rows');
    const whole = await findingOf(nit);
    sandbox.faults.set('rues', { mode, match: 'resource' });
    const finding = await findingOf(nit).catch((error: AppError) => error.code);
    sandbox.faults.clear();
    expect([whole, 'SOURCE_UNAVAILABLE']).toContainEqual(finding);
  });
});
