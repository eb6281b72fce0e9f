import { describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { formatRut } from '../../src/domain/tax-id.ts';
import { sandboxServer } from '../support/sandbox-server.ts';
import { until } from '../support/until.ts';

const server = sandboxServer({ QUIPU_RECEITA_MODE: 'copy-then-live' });

const chilean = (scenario: string): string => formatRut(chileanByScenario(scenario).rut);
const quipu = (...args: readonly string[]) => server.quipu(args);

const TOP = '99.030.006/0001-79';
const MIDDLE = '99.041.001/0001-41';
const LEAF = '99.041.002/0001-96';
const CELLAR = '99.041.004/0001-85';
const NEIGHBOUR = '99.041.005/0001-20';
const UNKNOWN = '00.000.000/0001-91';
const NOT_FOUND = { code: 1, out: '', err: 'The tax registry has no company with this CNPJ.\n' };

// The first test, because the others read the copy that it loads.
it('quipu owns fails before quipu import receita has loaded the copy, and answers after it', async () => {
  expect(await quipu('owns', TOP)).toMatchObject({ code: 1, out: '' });
  expect(await quipu('import', 'receita')).toMatchObject({ code: 0 });
  await until(async () => (await quipu('owns', TOP)).code === 0); // a server sees a switch within seconds
}, 120_000);

describe('quipu search --country BR', () => {
  it('prints companies with registration and place', async () => {
    const { code, out } = await quipu('search', 'andar', 'do', 'meio', '--country', 'BR');
    expect(code).toBe(0);
    expect(out).toMatch(/^COMPANY +STATUS +PLACE +NAME\nBR 99\.041\.001\/0001-41 +active .* ANDAR DO MEIO PARTICIPACOES LTDA\n/);
  }, 60_000);
});

describe('quipu owns', () => {
  it('prints the companies that a company owns', async () => {
    const { code, out, err } = await quipu('owns', TOP);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^COMPANY +REGISTRATION +SINCE +ROLE +SHARE +NAME\n99\.041\.001\/0001-41 +active +2015-06-01 +Sócio +– +ANDAR DO MEIO/,
    );
  }, 60_000);

  it('says for an unknown company that the registry does not have it', async () => {
    expect(await quipu('owns', UNKNOWN)).toMatchObject({
      code: 0,
      err: 'The registry has no company with this tax id.\nIt is an owner of no company.\n',
    });
  }, 60_000);
});

describe('quipu branches', () => {
  it('prints the page of the endpoint as JSON', async () => {
    expect(JSON.parse((await quipu('branches', MIDDLE, '--json')).out)).toMatchObject({
      company_known: true,
      branches: [{ trade_name: 'MEIO ANDAR' }, {}],
    });
  }, 60_000);
});

describe('quipu group', () => {
  it('prints the companies above and below, with their owners', async () => {
    const { code, out, err } = await quipu('group', LEAF, '--depth', '1');
    expect(code).toBe(0);
    expect(out).toMatch(/^COMPANY +RELATION +DEPTH +OWNERS +NAME\n99\.041\.002\/0001-96 +self +0 +99\.041\.001\/0001-41 +ANDAR DE BAIXO/);
    expect(out).toMatch(/\n99\.041\.004\/0001-85 +owned +1 +99\.041\.002\/0001-96 +SUBSOLO/);
    expect(err).toBe(`Not shown: depth (1) at ${TOP}\n`);
  }, 60_000);

  it.each([
    { args: [LEAF, '--depth', '11'], says: '--depth: give a number from 1 to 10.\n' },
    { args: ['99.010.001/0001-85'], says: 'The check digits of this CNPJ should be 84, not 85.\n' },
    { args: [UNKNOWN], says: NOT_FOUND.err },
  ])('exits with 1 and one line: $says', async ({ args, says }) => {
    expect(await quipu('group', ...args)).toEqual({ code: 1, out: '', err: says });
  });
});

describe('quipu group-findings', () => {
  it('prints the listed companies of the group, each with its path, and exits with 2', async () => {
    const { code, out, err } = await quipu('group-findings', CELLAR);
    expect(code).toBe(2);
    expect(out).toMatch(/^COMPANY +RELATION +LIST +FROM +TO +PATH +LISTED AS\n99\.030\.006\/0001-79 +owner +(CEIS|CNEP) /);
    expect(out).toContain(`${LEAF} > ${CELLAR}, ${MIDDLE} > ${LEAF}, ${TOP} > ${MIDDLE}`);
    expect(err).toMatch(/^4 companies on \d+ lists: \d+ records\.\n$/);
  }, 60_000);

  it('exits with 0 for a group without a listed company, and prints the reply as JSON', async () => {
    const { code, out } = await quipu('group-findings', companyByScenario('owners-level-1').cnpj, '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { findings: [], complete: true, lists_not_checked: [] }]);
  }, 60_000);

  it('exits with 3 if there is no finding, and the group ends at the depth', async () => {
    const { code, err } = await quipu('group-findings', companyByScenario('owners-level-1').cnpj, '--depth', '1');
    expect([code, err]).toEqual([3, expect.stringMatching(/Not shown: depth \(\d+\) at /)]);
  }, 60_000);

  it('prints the listed owner of a Chilean company', async () => {
    const { code, out } = await quipu('group-findings', chilean('cl-listed-owner'), '--country', 'CL');
    expect(code).toBe(2);
    expect(out).toContain(`\n${chilean('cl-sanctioned')} `);
  }, 60_000);

  it('exits with 0 for a Chilean group without a listed company, and names the lists that have no RUT', async () => {
    const { code, err } = await quipu('group-findings', chilean('cl-crowd-1'));
    expect([code, err]).toEqual([0, expect.stringContaining('Not checked: CEIS (no_tax_id)\n')]);
  }, 60_000);

  it('exits with 1 and one line for a company that the registry does not have', async () => {
    expect(await quipu('group-findings', UNKNOWN)).toEqual(NOT_FOUND);
  }, 60_000);
});

describe('quipu beneficial-owners', () => {
  it('prints the people above a company, and no share that the registry does not have', async () => {
    const { code, out } = await quipu('beneficial-owners', companyByScenario('owners-level-1').cnpj);
    expect(code).toBe(0);
    expect(out).toMatch(/^PERSON +ROLE +REGISTERED IN +SHARE % +BASIS +PATH +NAME\n\*{3}\d{6}\*{2} .* – +not_filed +/);
  }, 60_000);

  it('prints the natural persons of Chilean companies together, with their share', async () => {
    const { code, out } = await quipu('beneficial-owners', chilean('cl-large'), '--country', 'CL');
    expect(code).toBe(0);
    expect(out).toMatch(/\n– .* 28\.2 +multiplied +.* all natural persons\n/);
  }, 60_000);

  it('names foreign owners below the table', async () => {
    const { err } = await quipu('beneficial-owners', companyByScenario('owners-foreign').cnpj, '--min-share', '12.5');
    expect(err).toMatch(/^Not shown: foreign_owner \(1\) at /);
  }, 60_000);

  it.each(['-1', '101', 'many'])('exits with 1 and one line for the share %s', async (share) => {
    const says = '--min-share: give a percentage from 0 to 100.\n';
    expect(await quipu('beneficial-owners', LEAF, `--min-share=${share}`)).toEqual({ code: 1, out: '', err: says });
  });

  it('exits with 1 and one line for a company that the registry does not have', async () => {
    expect(await quipu('beneficial-owners', UNKNOWN)).toEqual(NOT_FOUND);
  }, 60_000);
});

describe('quipu other-companies', () => {
  it('prints the companies of each owner, and how certain a person is', async () => {
    const { code, out, err } = await quipu('other-companies', LEAF);
    expect(code).toBe(0);
    expect(out).toMatch(/^OWNER +COMPANY +REGISTRATION +SINCE +ROLE +NAME\n/);
    expect(out).toMatch(/\nELISA PEREIRA ALHURES +99\.041\.005\/0001-20 +active +2019-07-01 +Sócio-Administrador +CASA DO LADO/);
    expect(err).toContain('ELISA PEREIRA ALHURES: found by name and six digits of the CPF; other people expected with both: 0.\n');
  }, 60_000);

  it('prints JSON, and null for an owner without an id', async () => {
    const { out } = await quipu('other-companies', companyByScenario('owners-foreign').cnpj, '--json');
    expect(JSON.parse(out).owners[0]).toMatchObject({ identifier: null, identity: null, companies: null, has_more: false });
  }, 60_000);

  it('exits with 1 and one line for a limit of 101, and for a company that the registry does not have', async () => {
    const says = '--limit: give a number from 1 to 100.\n';
    expect(await quipu('other-companies', LEAF, '--limit', '101')).toEqual({ code: 1, out: '', err: says });
    expect(await quipu('other-companies', UNKNOWN)).toEqual(NOT_FOUND);
  }, 60_000);
});

describe('quipu connection', () => {
  it('prints the edges of a path, and how much was seen', async () => {
    const { code, out, err } = await quipu('connection', CELLAR, NEIGHBOUR);
    expect(code).toBe(0);
    expect(out).toMatch(/^OWNER +NAME +ROLE +SINCE +COMPANY +NAME\n99\.041\.002\/0001-96 +ANDAR DE BAIXO/);
    expect(out).toMatch(/\n\*{3}000082\*{2} +ELISA PEREIRA ALHURES .* 99\.041\.005\/0001-20 +CASA DO LADO/);
    expect(err).toMatch(/^found: \d+ companies and \d+ people seen\.\n$/);
  }, 60_000);

  it('exits with 0 if there is no path without people', async () => {
    const { code, out, err } = await quipu('connection', CELLAR, NEIGHBOUR, '--no-people');
    expect([code, out, err]).toEqual([0, '', expect.stringMatching(/^none within limits: \d+ companies and 0 people seen\.\n$/)]);
  }, 60_000);

  it('says which company the registry does not have', async () => {
    expect((await quipu('connection', CELLAR, UNKNOWN)).err).toMatch(
      /^none within limits: .*\nThe registry has no company with the tax id 00\.000\.000\/0001-91\.\n$/,
    );
  }, 60_000);

  it('exits with 1 and one line for a depth of 7', async () => {
    const says = '--max-depth: give a number from 1 to 6.\n';
    expect(await quipu('connection', CELLAR, NEIGHBOUR, '--max-depth', '7')).toEqual({ code: 1, out: '', err: says });
  });
});
