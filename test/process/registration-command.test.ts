import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { sandboxServer } from '../support/sandbox-server.ts';
import { until } from '../support/until.ts';

const server = sandboxServer();

const registration = (...args: readonly string[]) => server.quipu(['registration', ...args]);
const CHILEAN = '67.000.001-K';

describe('quipu registration', () => {
  it('prints the public record of a company in a table with a header, without what is null or false', async () => {
    const { code, out, err } = await registration('99.020.033/0001-60');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^FIELD +VALUE\nidentifier +99\.020\.033\/0001-60\n/);
    expect(out).toMatch(/\nlegal_nature +2054 Sociedade Anônima Fechada\n[\s\S]*\naddress\.region +SP\n/);
    expect(out).toMatch(/\nspecial_situation +RECUPERACAO JUDICIAL\n/);
    expect(out).not.toMatch(/null|false|\[object/);
  }, 60_000);

  it('prints the reply of the endpoint as JSON', async () => {
    await until(async () => (await registration(CHILEAN)).code === 0); // the copy of the registry is loaded
    const { out } = await registration(CHILEAN, '--json');
    expect(JSON.parse(out)).toMatchObject({ identifier: CHILEAN, country: 'CL', source: 'sii', capital: null });
  }, 60_000);

  it.each([
    { args: ['99.010.001/0001-85'], says: 'The check digits of this CNPJ should be 84, not 85.\n' },
    { args: [companyByScenario('clean').cnpj, '--as-of', '2999-01-01'], says: expect.stringMatching(/day/i) },
    { args: [companyByScenario('unknown').cnpj], says: 'The tax registry has no company with this tax id.\n' },
    {
      args: ['900123456-8'],
      says: expect.stringMatching(/^The commercial register of \d{4}-\d\d-\d\d has no company with this NIT\. [^\n]+\n$/),
    },
  ])(
    'exits with 1 and one line for $args',
    async ({ args, says }) => {
      expect(await registration(...args)).toEqual({ code: 1, out: '', err: says });
    },
    60_000,
  );
});
