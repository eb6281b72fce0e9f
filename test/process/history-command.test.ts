import { describe, expect, it } from 'vitest';
import { monthsOfShare } from '../support/registry-copy.ts';
import { sandboxServer } from '../support/sandbox-server.ts';
import { until } from '../support/until.ts';

const server = sandboxServer({ QUIPU_RECEITA_MODE: 'copy-then-live' });

const history = (...args: readonly string[]) => server.quipu(['history', ...args]);

describe('quipu history', () => {
  it('prints the changes between two imported months in a table, and the time that is known', async () => {
    const months = await monthsOfShare(server.sandboxUrl);
    for (const month of months) expect(await server.quipu(['import', 'receita', '--month', month])).toMatchObject({ code: 0 });
    await until(async () => (await history('99.010.033/0001-80')).code === 0); // a server sees a switch within seconds
    const { out, err } = await history('99.010.033/0001-80');
    expect(out).toMatch(/^EXTRACT +FIELD +BEFORE +AFTER +OF\n\S+ +name +HOTEL QUARTO CRESCENTE LTDA +HOTEL QUARTO MINGUANTE LTDA +-\n$/);
    expect(err).toBe(`All changes between the extracts of ${months[0]}-14 and ${months[1]}-14 are known.\n`);
  }, 120_000);

  it('prints the reply of the endpoint as JSON, of the fields that are given', async () => {
    const { out } = await history('99.010.035/0001-79', '--fields', 'capital', '--json');
    expect(JSON.parse(out)).toMatchObject({ fields: ['capital'], changes: [{ field: 'capital', before: '20000', after: '100000' }] });
  }, 60_000);

  it('exits with 1 and one line for a company that the registry does not have', async () => {
    expect(await history('99.090.001/0001-31')).toEqual({ code: 1, out: '', err: 'The tax registry has no company with this tax id.\n' });
  }, 60_000);
});
