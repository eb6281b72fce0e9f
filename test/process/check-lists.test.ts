import { afterAll, beforeAll, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type SandboxServer, startSandboxServer } from '../support/sandbox-server.ts';

let server: SandboxServer;
beforeAll(async () => {
  server = await startSandboxServer();
}, 60_000);
afterAll(() => server.close());

it('quipu check reads optional lists with --include: their records are findings, and leniency agreements are information', async () => {
  const { quipu } = server;
  const [barred, agreed] = ['grants-barred', 'leniency'].map((scenario) => companyByScenario(scenario).cnpj) as [string, string];
  const { code, out } = await quipu(['check', agreed, '--include', 'acordo_leniencia', '--json']);
  expect([code, JSON.parse(out)]).toMatchObject([0, [{ findings: [], information: [expect.stringMatching(/^leniency agreement with /)] }]]);
  const listed = await quipu(['check', barred, '--include', 'CEPIM,TCU_INIDONEOS']);
  expect(listed.code).toBe(2);
  expect(listed.out).toContain('debarment.listed: CEPIM, IMPEDIMENTO by Ministério dos Exemplos');
  expect((await quipu(['check', barred, '--include', 'CEAF'])).err).toContain('There is no list "CEAF". There are: CEPIM');
}, 60_000);

it('quipu check searches the chosen sanctions lists beside the verdict, by tax id and by name', async () => {
  const { name, cnpj } = companyByScenario('clean-builder');
  const { code, out } = await server.quipu(['check', cnpj, '--json', '--lists', 'OFAC_NON_SDN', 'WORLD_BANK_DEBARRED']);
  const findings = [
    `sanctions.listed: ${name} on OFAC_NON_SDN, restricted`,
    `sanctions.possible_match: ${name} on WORLD_BANK_DEBARRED, debarred, score 1`,
  ];
  expect([code, JSON.parse(out)]).toMatchObject([2, [{ risk_level: 'low', findings }]]);
}, 60_000);
