import { expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { sandboxServer } from '../support/sandbox-server.ts';

const server = sandboxServer();

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

it('quipu check reads names of lists separated by commas, blanks or both, in any letter case, for both options', async () => {
  const { quipu } = server;
  const [barred, listed] = ['grants-barred', 'clean-builder'].map((scenario) => companyByScenario(scenario).cnpj) as [string, string];
  const codes = async (cnpj: string, option: string, ...names: readonly string[]) => (await quipu(['check', cnpj, option, ...names])).code;
  for (const names of [['cepim', 'TCU_INIDONEOS'], ['CEPIM,', 'TCU_INIDONEOS'], ['CEPIM, tcu_inidoneos']]) {
    expect(await codes(barred, '--include', ...names)).toBe(2);
  }
  for (const names of [['OFAC_NON_SDN,world_bank_debarred'], ['OFAC_NON_SDN, WORLD_BANK_DEBARRED'], ['OFAC_NON_SDN,', 'OFAC_NON_SDN']]) {
    expect(await codes(listed, '--lists', ...names)).toBe(2);
  }
  expect((await quipu(['check', listed, '--lists', 'OFAC'])).err).toContain('There is no list "OFAC". There are: OFAC_SDN');
}, 60_000);

it('quipu check says that names were not compared where the registry has none', async () => {
  const { code, out } = await server.quipu(['check', '11.222.333/0001-81', '--json', '--lists', 'EU_CONSOLIDATED']);
  expect(code).not.toBe(0);
  expect(JSON.parse(out)).toMatchObject([{ not_checked: expect.arrayContaining([expect.stringMatching(/^sanctions: no name is known/)]) }]);
}, 60_000);
