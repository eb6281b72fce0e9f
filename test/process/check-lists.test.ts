import { afterAll, beforeAll, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type SandboxServer, startSandboxServer } from '../support/sandbox-server.ts';

let server: SandboxServer;
beforeAll(async () => {
  server = await startSandboxServer();
}, 60_000);
afterAll(() => server.close());

it('quipu check searches the chosen sanctions lists beside the verdict, by tax id and by name', async () => {
  const { name, cnpj } = companyByScenario('clean-builder');
  const { code, out } = await server.quipu(['check', cnpj, '--json', '--lists', 'OFAC_NON_SDN', 'WORLD_BANK_DEBARRED']);
  const findings = [
    `sanctions.listed: ${name} on OFAC_NON_SDN, restricted`,
    `sanctions.possible_match: ${name} on WORLD_BANK_DEBARRED, debarred, score 1`,
  ];
  expect([code, JSON.parse(out)]).toMatchObject([2, [{ risk_level: 'low', findings }]]);
}, 60_000);
