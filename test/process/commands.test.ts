import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { cnpjsFrom } from '../support/made-up-cnpjs.ts';
import { dataFolder, run } from '../support/process.ts';
import { sandboxServer, startSandboxServer } from '../support/sandbox-server.ts';
import { silentProxy } from '../support/silent-proxy.ts';
import { until } from '../support/until.ts';

/** The commands that call a server: each test runs the real command on one server in the sandbox. */

const server = sandboxServer();
const { quipu } = server;

const CLEAN = '99.010.001/0001-84';
const DEBARRED = '99.030.001/0001-46';
const CHILEAN = '67.000.001-K';
/** Companies that no other test loads, so that no answer is cached. */
const [BRANCH, MICRO, UNLISTED] = ['clean-branch', 'clean-micro', 'clean-cooperative'].map(
  (scenario) => companyByScenario(scenario).cnpj,
) as [string, string, string];

/** The address of a server that is not the service. */
async function served(answer: RequestListener): Promise<string> {
  const other = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close().closeAllConnections());
  await new Promise((resolve) => other.once('listening', resolve));
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}

const checkAt = (address: string) => quipu(['check', CLEAN, '--key', 'sk_any', '--url', address]);

describe('quipu check', () => {
  it('exits with 0 for companies of each country without findings', async () => {
    const { code, out, err } = await quipu(['check', CLEAN, CHILEAN, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual([
      {
        ...{ country: 'BR', identifier: CLEAN, company_name: 'PADARIA LUA DE PAPEL LTDA', registration_status: 'active' },
        ...{ risk_level: 'low', findings: [], not_checked: [] },
      },
      expect.objectContaining({
        country: 'CL',
        identifier: CHILEAN,
        registration_status: 'active',
        risk_level: 'low',
        findings: [],
        not_checked: [],
      }),
    ]);
  }, 60_000);

  it('exits with 2 for a finding, in a table with a header', async () => {
    const { code, out } = await quipu(['check', DEBARRED, CLEAN]);
    expect(code).toBe(2);
    expect(out).toMatch(/^COMPANY +NAME +REGISTRATION +RISK +CHECKED +FINDINGS\nBR 99\.030\.001\/0001-46 .* medium +yes +1\n/);
    expect(out).toContain(`\n\n${DEBARRED}  debarment.record: 1 record on CEIS`);
  }, 60_000);

  it('exits with 3 where nothing was found and a source failed', async () => {
    for (const mirror of ['receita_federal', 'opencnpj']) await server.fail(mirror, { mode: 'down', match: BRANCH });
    const { code, out } = await quipu(['check', BRANCH, '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([3, [{ findings: [], not_checked: expect.arrayContaining(['kyb', 'owners']) }]]);
  }, 60_000);

  it.each([
    { args: ['99.010.001/0001-85'], says: '99.010.001/0001-85: The check digits of this CNPJ should be 84, not 85.\n' },
    { args: [CLEAN, '--key', 'sk_unknown'], says: 'This API key is not valid: it is unknown, expired or revoked.\n' },
    { args: [CLEAN, '--url', 'ftp://quipu.example'], says: '--url (QUIPU_URL): expected an address such as https://quipu.example.com.\n' },
    {
      args: [CLEAN, '--url', 'http://127.0.0.1:1', '--key', 'sk_any'],
      says: 'The server http://127.0.0.1:1 does not answer (ECONNREFUSED). Is it started, and is --url (QUIPU_URL) its address?\n',
    },
  ])('exits with 1 and one line: $says', async ({ args, says }) => {
    expect(await quipu(['check', ...args])).toEqual({ code: 1, out: '', err: says });
  });

  it('sends the demo key to the local server only: another address needs a key', async () => {
    expect(await quipu(['check', CLEAN, '--url', server.url])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^Give an API key: set QUIPU_API_KEY/),
    });
  });

  it('names a server that is none of Quipu, or that redirects', async () => {
    const at = await served((request, response) =>
      request.url?.startsWith('/moved') ? response.writeHead(308, { location: 'https://quipu.example/' }).end() : response.end('<html>'),
    );
    expect([await checkAt(at), await checkAt(`${at}/moved`)]).toEqual([
      { code: 1, out: '', err: `${at} is no Quipu server: it answered 200 without JSON.\n` },
      { code: 1, out: '', err: `${at}/moved answered 308: it redirects to https://quipu.example/; give that as --url.\n` },
    ]);
  });

  it('reads no more than 16 MiB of an answer', async () => {
    const at = await served((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"data":{"c0":[null]}}${' '.repeat(16 * 1024 * 1024)}`),
    );
    expect(await checkAt(at)).toEqual({ code: 1, out: '', err: `${at} sent an answer of more than 16777216 bytes.\n` });
  });
});

describe('quipu search', () => {
  /** Once the names of the registry are indexed: the index follows the copy. */
  const search = async (...args: readonly string[]) => {
    await until(async () => (await quipu(['search', 'nadie'])).code === 0);
    return quipu(['search', ...args]);
  };
  const found = async (...args: readonly string[]) => JSON.parse((await search(...args, '--json')).out);

  it('prints the companies of a misspelled name in a table with a header, the most similar first', async () => {
    const { code, out } = await search('panaderia', 'la', 'maraqueta');
    expect(code).toBe(0);
    expect(out).toMatch(/^COMPANY +SCORE +NAME\nCL 67\.000\.001-K +[01]\.\d\d +PANADER/);
  }, 60_000);

  it('continues at the cursor of the page before', async () => {
    const all = await found('nadie', '--limit', '100');
    const first = await found('nadie', '--limit', '1');
    const second = await found('nadie', '--limit', '1', '--after', first.next_after);
    expect([...first.companies, ...second.companies]).toEqual(all.companies.slice(0, 2));
    expect(all).toMatchObject({ next_after: null, is_truncated: false, data_as_of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    expect((await search('nadie', '--limit', '1')).err).toBe(`More companies: --after ${first.next_after}\n`);
  }, 60_000);

  it('exits with 0 where no company has such a name', async () => {
    expect(await search('xqwzk')).toMatchObject({ code: 0, err: 'No company has such a name.\n' });
  }, 60_000);

  it.each([
    { args: ['sol', '--limit', '101'], says: '--limit: give a number from 1 to 100.\n' },
    { args: ['a'.repeat(201)], says: 'Give at most 200 characters.\n' },
    { args: ['sol', '--after', 'x'], says: 'This is not a cursor of this connection.\n' },
  ])('exits with 1 and one line: $says', async ({ args, says }) => {
    expect(await quipu(['search', ...args])).toEqual({ code: 1, out: '', err: says });
  });
});

describe('quipu screen', () => {
  it('saves the results of a csv file, sends its tax ids and countries alone, and numbers rows as the file does', async () => {
    const dir = await dataFolder();
    const [file, output] = [path.join(dir, 'suppliers.csv'), path.join(dir, 'out.csv')];
    await writeFile(file, `name;cnpj;country\nA;${CLEAN};BR\n\n"B; secret";${DEBARRED};\nC;99.030.001/0001-47;\nD;${CLEAN};\n`);
    const { code, out, err } = await quipu(['screen', file, '--output', output]);
    expect(code).toBe(3); // row 5 is no tax id
    expect(out).toMatch(/^SCREENING +STATE +COMPANIES .*\nscr_\w+ +done +2 +2 +0 +1 +1 +/);
    expect(err).toMatch(/: 2 rows, .*100 %\nrow 5: The check digits .*\nrow 6: The same company as in row 2\.\n$/);
    const rows = (await readFile(output, 'utf8')).split('\r\n').map((line) => line.split(',').slice(0, 6));
    expect(rows.slice(1, 3)).toEqual([
      ['2', '99010001000184', 'BR', 'PADARIA LUA DE PAPEL LTDA', 'active', 'low'],
      ['4', '99030001000146', 'BR', 'MERENDA AZEDA ALIMENTOS LTDA', 'active', 'medium'],
    ]);
    expect(existsSync(`${output}.screening`)).toBe(false);
    expect(await quipu(['screen', file, '--output', output])).toMatchObject({
      code: 1,
      err: `${output} exists: name another --output, or use --force.\n`,
    });
  }, 60_000);

  it('ends at Ctrl-C, and continues with the same screening when it is repeated, also after a kill', async () => {
    await server.fail('receita_federal', { mode: 'slow', ms: 4_000 });
    const dir = await dataFolder();
    const [file, output] = [path.join(dir, 'ids.txt'), path.join(dir, 'out.jsonl')];
    await writeFile(file, `${MICRO}\n`);
    const kept = async () => JSON.parse(await readFile(`${output}.screening`, 'utf8').catch(() => '{}')).screeningId ?? null;
    const args = ['screen', file, '--output', output, '--modules', 'kyb', '--json'];
    const first = run('src/cli.ts', args, server.env);
    await expect.poll(kept).toMatch(/^scr_/);
    const id = await kept();
    first.child.kill('SIGINT');
    expect([await first.ended, first.out(), existsSync(output)]).toEqual([130, '', false]);
    expect(first.err()).toContain(`${id} continues on the server. Repeat the command to get its results.\n`);

    expect(await quipu([...args, '--name', 'other'])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`(${id}). Repeat that command, or use --new`),
    });

    const second = run('src/cli.ts', args, server.env);
    await expect.poll(second.err).toContain(`Continuing ${id}.`);
    second.child.kill('SIGKILL');
    await second.ended;

    const { code, out, err } = await quipu(args);
    expect({ code, err: err.split('\n')[0] }).toEqual({ code: 0, err: `Continuing ${id}.` });
    expect(JSON.parse(out)).toMatchObject({ screening_id: id, state: 'done', total: 1, done: 1, output, complete: true });
    expect(JSON.parse(await readFile(output, 'utf8'))).toMatchObject({ row: 1, identifier: MICRO });
  }, 90_000);

  it('waits for a server that is away for a moment', async () => {
    const { url: given, cut, close, newConnections } = await silentProxy(server.url);
    onTestFinished(close);
    await server.fail('receita_federal', { mode: 'slow', ms: 2_000 });
    const dir = await dataFolder();
    const [file, output] = [path.join(dir, 'ids.txt'), path.join(dir, 'out.csv')];
    await writeFile(file, UNLISTED);
    const screening = run('src/cli.ts', ['screen', file, '--output', output], {
      ...server.env,
      QUIPU_URL: given,
      QUIPU_API_KEY: server.demoKey,
    });
    await expect.poll(screening.err).toMatch(/^scr_\w+: /);
    newConnections('refuse');
    cut();
    await expect.poll(screening.err).toMatch(/does not answer \(\w+\).* Trying again in 1 s\.\n/);
    newConnections('pass');
    expect([await screening.ended, existsSync(output)]).toEqual([0, true]);
  }, 60_000);

  it('tries again a start for which the server has too little time, which keeps nothing of it', async () => {
    const impatient = await startSandboxServer({ QUIPU_DEADLINE: '1s' });
    onTestFinished(() => impatient.close());
    const dir = await dataFolder();
    const [file, output] = [path.join(dir, 'ids.txt'), path.join(dir, 'out.csv')];
    await writeFile(file, cnpjsFrom(70_000_000, 100_000).join('\n'));
    const screening = run('src/cli.ts', ['screen', file, '--output', output, '--modules', 'kyb'], impatient.env);
    await expect.poll(screening.err, { timeout: 60_000 }).toMatch(/Trying again in 1 s\..*Trying again in 2 s\./s);
    screening.child.kill('SIGINT');
    await screening.ended;
    const headers = { 'x-api-key': impatient.demoKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: '{ screenings { nodes { total } } }' });
    const stored = async () => (await (await fetch(`${impatient.url}/graphql`, { method: 'POST', headers, body })).json()).data?.screenings;
    await expect.poll(stored, { timeout: 60_000 }).toEqual({ nodes: [] });
  }, 180_000);

  it('prints why a screening is refused, and keeps nothing to continue', async () => {
    const dir = await dataFolder();
    const file = path.join(dir, 'ids.txt');
    await writeFile(file, CLEAN);
    const output = path.join(dir, 'out.csv');
    const refused = await quipu(['screen', file, '--output', output, '--modules', 'kyb,nothing']);
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/Give modules of compliance_br/) });
    expect([existsSync(output), existsSync(`${output}.screening`)]).toEqual([false, false]);
    const missing = await quipu(['screen', path.join(dir, 'none.csv'), '--output', output]);
    expect(missing).toMatchObject({ code: 1, err: `${path.join(dir, 'none.csv')} cannot be read (ENOENT).\n` });
  }, 60_000);
});

/** The start watches four companies for the demo key; each changes every 20 to 30 s by itself. */
describe('quipu watch', () => {
  it('prints each change once, across a lost connection and a second run', async () => {
    const { url: given, cut, close } = await silentProxy(server.url);
    onTestFinished(close);
    const proxied = new URL(given).origin;
    const cursorFile = path.join(await dataFolder(), 'cursor');
    const args = ['watch', '--json', '--cursor-file', cursorFile];
    const watching = run('src/cli.ts', args, { ...server.env, QUIPU_URL: proxied, QUIPU_API_KEY: server.demoKey });
    await expect.poll(watching.err).toContain(`Watching on ${proxied}. Ctrl-C ends.\n`);
    await watching.printed(/\n/);
    cut();
    await expect.poll(watching.err).toContain('Connecting again.');
    await watching.printed(/(.*\n){2}/);
    watching.child.kill('SIGINT');
    expect(await watching.ended).toBe(130);

    const again = await quipu([...args, '--limit', '1']);
    expect(again.code).toBe(0);
    const printed = `${watching.out()}${again.out}`
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    const first = JSON.parse(watching.out().split('\n')[0] ?? '');
    const log = await fetch(`${server.url}/v1/changes?limit=100`, { headers: { 'x-api-key': server.demoKey } });
    const { changes } = (await log.json()) as { changes: readonly { event_id: string }[] };
    const ids = changes.map(({ event_id }) => event_id);
    expect(printed).toEqual(ids.slice(ids.indexOf(first.id)).slice(0, printed.length));
    expect((await readFile(cursorFile, 'utf8')).trim()).toBe(JSON.parse(again.out).cursor);
  }, 120_000);

  it('prints a table with a header, and ends after --limit changes', async () => {
    const { code, out } = await quipu(['watch', '--after', 'WyJjaGFuZ2UiLCIwIl0', '--limit', '1']);
    expect({ code, lines: out.split('\n') }).toMatchObject({
      code: 0,
      lines: [expect.stringMatching(/^DETECTED +COMPANY +SOURCE +CHANGE$/), expect.stringMatching(/^\d{4}-.* BR 99\.050\..*: .* → /), ''],
    });
  }, 60_000);

  it('exits with 1 and the sentence of the server where it refuses', async () => {
    expect(await quipu(['watch', '--after', 'no cursor'])).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/cursor/) });
    expect(await quipu(['watch', '--key', 'sk_unknown'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^This API key is not valid/),
    });
  });
});
