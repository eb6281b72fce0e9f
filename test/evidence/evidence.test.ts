import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies, companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { auditLog } from '../../src/audit/audit-log.ts';
import { evidenceCommand } from '../../src/cli/evidence.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import type { SealedReceipt } from '../../src/evidence/receipt.ts';
import { canonical, digestOf } from '../../src/evidence/seal.ts';
import { evidenceService } from '../../src/modules/compliance/service/receipts.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { attachmentOf, textOf } from '../support/pdf.ts';

const env = {
  QUIPU_KEY_SECRET: 'a secret that both processes have',
  QUIPU_PLANS: JSON.stringify({ standard: { compliance_br: { rate: null } } }),
};
const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;

describe('canonical JSON (RFC 8785)', () => {
  it('has sorted members, short numbers and no blanks', () => {
    const value = { numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001], literals: [null, true], a: '€$\n' };
    expect(canonical(value)).toBe('{"a":"€$\\n","literals":[null,true],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}');
  });
});

describe('receipts of consolidated checks', () => {
  let database: TestDb;
  let app: TestApp;
  let otherProcess: TestApp;
  let folder: string;
  let time = Date.parse('2026-11-22T12:00:00Z');

  beforeAll(async () => {
    database = await testDb();
    folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-evidence-'));
    app = await testApp({ db: database, env, now: () => time });
    otherProcess = await testApp({ db: database, env, now: () => time });
  }, 120_000);
  afterAll(async () => {
    await Promise.all([app.close(), otherProcess.close()]);
    await database.close();
    await rm(folder, { recursive: true });
  });

  const get = async (url: string, key: string | null = app.key, on: TestApp = app) => {
    const answer = await on.server.inject({ url, headers: key === null ? {} : { 'x-api-key': key } });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
  };
  const issue = async (scenario = 'clean', on: TestApp = app): Promise<SealedReceipt> =>
    (await on.post('/v1/compliance-br', { cnpj: cnpj(scenario), receipt: true })).body.evidence;
  const chain = async (): Promise<readonly SealedReceipt[]> => (await get('/v1/evidence')).body.evidence;

  /** A key of an account of its own, whose chain is empty. */
  async function accountKey(name: string): Promise<string> {
    await app.db('accounts').insert({ name, created_at: new Date(time) });
    return (await app.keys.create({ name, account: name, modules: ['compliance_br'] })).key;
  }

  async function run(...args: readonly string[]) {
    const said = { out: '', err: '' };
    const io = {
      out: (text: string) => {
        said.out += text;
      },
      err: (text: string) => {
        said.err += text;
      },
    };
    const parts = async () => ({ db: app.db, open: app.open, close: async () => undefined });
    process.exitCode = undefined;
    await new Command('quipu').addCommand(evidenceCommand(parts, io)).parseAsync(['evidence', ...args], { from: 'user' });
    const code = process.exitCode ?? 0;
    process.exitCode = undefined;
    return { ...said, code };
  }

  /** Runs `quipu evidence verify` on a file with this text and the published keys, or others. */
  async function verify(text: string, keys?: unknown, ...options: readonly string[]) {
    const files = [path.join(folder, 'receipts'), path.join(folder, 'keys.json')] as const;
    await writeFile(files[0], text);
    await writeFile(files[1], JSON.stringify(keys ?? (await get('/.well-known/quipu-evidence-keys', null)).body));
    return run('verify', files[0], '--keys', files[1], ...options);
  }

  it('state company, verdict, reasons and what every source answered, with versions and checksums of lists', async () => {
    const { receipt, content_hash: hash, key_id: keyId } = await issue('sanctioned');
    expect(receipt).toMatchObject({
      version: 1,
      id: expect.stringMatching(/^evd_[0-9a-f]{32}$/),
      issued_at: '2026-11-22T12:00:00+00:00',
      company: { country: 'BR', identifier: cnpj('sanctioned') },
      verdict: { risk_level: 'high', completeness: 'complete', sources_failed: [] },
    });
    expect(receipt.verdict.risk_reasons).toEqual([expect.stringMatching(/^sanctions\.match: /)]);
    expect(receipt.sources.map(({ check, source, outcome }) => [check, source, outcome])).toEqual([
      ['kyb', 'receita_federal', 'answered'],
      ['sanctions', 'OFAC_SDN', 'answered'],
      ['sanctions', 'UN_CONSOLIDATED', 'answered'],
      ['debarment', 'CEIS', 'answered'],
      ['debarment', 'CNEP', 'answered'],
      ['labor', 'TRABALHO_ESCRAVO', 'answered'],
      ['owners', 'receita_federal', 'answered'],
    ]);
    const lists = receipt.sources.filter(({ checksum }) => checksum !== null);
    expect(lists.map(({ source }) => source)).toEqual(['OFAC_SDN', 'UN_CONSOLIDATED', 'CEIS', 'CNEP', 'TRABALHO_ESCRAVO']);
    expect(receipt.sources.every(({ answer_digest: digest }) => /^[0-9a-f]{64}$/.test(digest ?? ''))).toBe(true);
    expect(hash).toBe(digestOf(receipt));
    expect((await get('/.well-known/quipu-evidence-keys', null)).body.keys[0]).toMatchObject({ kid: keyId, kty: 'OKP', crv: 'Ed25519' });
  });

  it('are written only when they are requested, and count nothing more', async () => {
    const before = (await chain()).length;
    const { body } = await app.post('/v1/compliance-br', { cnpj: cnpj('clean') });
    expect(body).not.toHaveProperty('evidence');
    const answer = await app.post('/v1/compliance-br', { cnpj: cnpj('clean'), receipt: true });
    expect(answer.headers['usage-counted']).toBe('compliance_br=1');
    expect(await chain()).toHaveLength(before + 1);
  });

  it('are given again by id to the account, in REST and GraphQL, and to no other', async () => {
    const sealed = await issue();
    const { id } = sealed.receipt;
    expect((await get(`/v1/evidence/${id}`)).body).toEqual(sealed);
    const query =
      'query ($id: ID!) { node(id: $id) { ... on Evidence { verdict sequence contentHash document sources { source checksum } } } }';
    const { body } = await app.query(query, { id });
    expect(body.data.node).toMatchObject({ verdict: 'LOW', contentHash: sealed.content_hash });
    expect(JSON.parse(body.data.node.document)).toEqual(sealed);
    const stranger = await accountKey('stranger');
    expect(await get(`/v1/evidence/${id}`, stranger)).toMatchObject({ status: 404, body: { code: 'evidence_not_found' } });
    expect((await get('/v1/evidence', stranger)).body).toEqual({ evidence: [], has_more: false, next_after: null });
    expect(await get('/v1/evidence/evd_1')).toMatchObject({ status: 404 });
    const without = await app.keyFor('kyb');
    for (const any of [id, 'evd_1'])
      expect(await get(`/v1/evidence/${any}`, without)).toMatchObject({ status: 403, body: { code: 'module_not_enabled' } });
  });

  it.each([
    ['en', 'Receipt of a consolidated check', 'High', 'sanctions.match: 1 match on ', 'sanctions', 'OFAC SDN list (US)'],
    ['es', 'Comprobante de una verificación consolidada', 'Alto', 'Sanciones: 1 coincidencia en «', 'Sanciones', 'Lista SDN de la OFAC'],
    ['pt', 'Comprovante de uma verificação consolidada', 'Alto', 'Sanções: 1 correspondência em “', 'Sanções', 'Lista SDN da OFAC'],
  ])('are printed as PDF in %s, with the signed receipt attached', async (language, title, level, reason, check, list) => {
    const sealed = await issue('sanctioned');
    const url = `/v1/evidence/${sealed.receipt.id}?format=pdf&language=${language}`;
    const { headers, rawPayload } = await app.server.inject({ url, headers: { 'x-api-key': app.key } });
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${sealed.receipt.id}.pdf"`,
    });
    const text = textOf(rawPayload).replaceAll(/\s+/g, ' ');
    const parts = [title, level, sealed.content_hash, sealed.key_id, `${check} · ${list}`, `${reason}${list}`];
    for (const part of parts) expect(text).toContain(part);
    expect(sealed.receipt.verdict.risk_reasons[0]).toMatch(/^sanctions\.match: 1 match on OFAC_SDN \(/);
    expect(await verify(attachmentOf(rawPayload))).toMatchObject({ code: 0 });
  });

  it.each(['format=xml', 'format=pdf&language=fr'])('are refused for %s', async (query) => {
    const { receipt } = await issue();
    expect(await get(`/v1/evidence/${receipt.id}?${query}`)).toMatchObject({ status: 422, body: { code: 'invalid_input' } });
  });

  it('are issued by GraphQL for each company that asks, and are null without `receipt`', async () => {
    const query = `query ($ids: [String!]!) { companies(identifiers: $ids) {
      plain: compliance { evidence { id } } compliance(receipt: true) { evidence { identifier previousHash contentHash sequence } } } }`;
    const ids = companies.slice(0, 8).map((one) => one.cnpj);
    const { body } = await app.query(query, { ids });
    expect(body.errors).toBeUndefined();
    expect(body.data.companies.map(({ plain }: { plain: unknown }) => plain)).toEqual(ids.map(() => ({ evidence: null })));
    const evidence = body.data.companies.map(({ compliance }: { compliance: { evidence: { identifier: string } } }) => compliance.evidence);
    expect(evidence.map(({ identifier }: { identifier: string }) => identifier)).toEqual(ids);
    expect((await verify(JSON.stringify(await chain()), undefined, '--json')).out).toMatch(/^\{"genuine":true,/);
  });

  it('form one chain for many concurrent requests to two processes', async () => {
    const before = (await chain()).length;
    const scenarios = ['clean', 'sanctioned', 'homonym', 'debarred-ceis'];
    await Promise.all(Array.from({ length: 40 }, (_, i) => issue(scenarios[i % 4], i % 2 === 0 ? app : otherProcess)));
    const receipts = await chain();
    expect(receipts).toHaveLength(before + 40);
    expect(receipts.map(({ receipt }) => receipt.sequence)).toEqual(receipts.map((_, i) => i + 1));
    expect(await verify(receipts.map((one) => JSON.stringify(one)).join('\n'))).toMatchObject({
      code: 0,
      out: `Receipts 1 to ${before + 40} are genuine, and none is missing between them.\n`,
    });
  });

  it('are verified after a purge of older ones, which the next receipt follows', async () => {
    time += 3_000 * DAY_MS;
    await app.open(evidenceService).purge();
    expect(await chain()).toEqual([]);
    const [first, second] = [await issue(), await issue()];
    expect(first.receipt.sequence).toBeGreaterThan(40);
    expect(await verify(JSON.stringify([first, second]))).toMatchObject({ code: 0 });
  });

  it('fail verification with code 2 when any character of the content is changed', async () => {
    const text = JSON.stringify((await issue()).receipt);
    const sealed = await issue();
    expect(text.length).toBeGreaterThan(1_000);
    const changed = { ...sealed, receipt: { ...sealed.receipt, verdict: { ...sealed.receipt.verdict, risk_level: 'medium' as const } } };
    expect(await verify(JSON.stringify(changed))).toMatchObject({ code: 2, err: expect.stringContaining('was changed') });
    const withMore = { ...sealed, receipt: { ...sealed.receipt, more: 1 } };
    expect(await verify(JSON.stringify(withMore), undefined, '--json')).toMatchObject({ code: 2, out: expect.stringMatching('"changed"') });
    expect(await verify(JSON.stringify({ ...sealed, content_hash: '0'.repeat(64) }))).toMatchObject({ code: 2 });
  });

  it('fail verification with code 3 when one of the chain is missing, twice in it or replaced', async () => {
    const [a, b, c] = [await issue(), await issue(), await issue()];
    const { sequence } = b.receipt;
    expect(await verify(JSON.stringify([a, c]))).toMatchObject({ code: 3, err: expect.stringContaining(`Receipt ${sequence} is missing`) });
    expect(await verify(JSON.stringify([a, b, b]))).toMatchObject({ code: 3, err: expect.stringContaining('twice') });
    expect(await verify(JSON.stringify({ evidence: [a, b, c], has_more: false }))).toMatchObject({ code: 0 }); // of a version without next_after
    expect(await verify(JSON.stringify({ evidence: [a, b, c], has_more: false, next_after: null }))).toMatchObject({ code: 0 });
  });

  it('fail verification with code 4 under another key, and when somebody without the key hashed them anew', async () => {
    const sealed = await issue();
    const keys = (await get('/.well-known/quipu-evidence-keys', null)).body.keys;
    const others = [{ ...keys[0], kid: 'another' }];
    expect(await verify(JSON.stringify(sealed), { keys: others })).toMatchObject({
      code: 4,
      err: expect.stringContaining('does not have'),
    });
    const wrong = [{ ...keys[0], x: Buffer.alloc(32, 1).toString('base64url') }];
    expect(await verify(JSON.stringify(sealed), { keys: wrong })).toMatchObject({ code: 4, err: expect.stringContaining('not signed by') });
    const receipt = { ...sealed.receipt, issued_at: '2020-01-01T00:00:00+00:00' };
    expect(await verify(JSON.stringify({ ...sealed, receipt, content_hash: digestOf(receipt) }))).toMatchObject({ code: 4 });
  });

  it.each([
    ['not JSON', 'a text'],
    ['cut off', '{"receipt":{"version":1'],
    ['no receipt', '{}'],
    ['empty', ''],
  ])('fail verification with code 1 when the file is %s', async (_, text) => {
    expect(await verify(text)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('no receipts') });
  });

  it('are signed with a new key after a rotation, and earlier ones stay verifiable', async () => {
    const before = await issue();
    const { out } = await run('rotate-key');
    const after = await issue();
    expect(after.key_id).not.toBe(before.key_id);
    expect(out).toContain(after.key_id);
    time += 60_000;
    expect((await issue('clean', otherProcess)).key_id).toBe(after.key_id);
    const { keys } = (await get('/.well-known/quipu-evidence-keys', null)).body;
    expect(keys.map(({ kid, retired_at }: { kid: string; retired_at: string | null }) => [kid, retired_at !== null])).toEqual([
      [after.key_id, false],
      [before.key_id, true],
    ]);
    expect(await verify(JSON.stringify([before, after]))).toMatchObject({ code: 0 });
    const entries = await auditLog(app.db, { since: 0, subject: after.key_id });
    expect(entries).toMatchObject([{ action: 'evidence_key.created', actor: expect.stringMatching(/^operator/) }]);
  });

  it('store the private key encrypted, and log neither it nor the receipts', async () => {
    const rows = await app.db('evidence_keys').select();
    expect(rows.every(({ sealed_private_key: sealed }: { sealed_private_key: Buffer }) => sealed.length > 44)).toBe(true);
    expect(JSON.stringify(app.lines)).not.toMatch(/sealed_private|content_hash/);
  });

  it('in the docs verify under the keys in the docs', async () => {
    const block = (page: string, info: string): string => {
      const text = readFileSync(path.resolve(import.meta.dirname, '../../docs', page), 'utf8');
      return text.split(`\n\`\`\`${info}\n`)[1]?.split('\n```')[0] ?? '';
    };
    const keys = JSON.parse(block('evidence.md', 'json keys'));
    for (const info of ['json reply GET /v1/evidence/{id}', 'json reply GET /v1/evidence'])
      expect(await verify(block('api-rest.md', info), keys)).toMatchObject({ code: 0, out: 'Receipt 1 is genuine.\n' });
  });

  it('are exported by the command as a file that verifies', async () => {
    const { out } = await run('export', 'test');
    expect(out.trim().split('\n')).toHaveLength((await chain()).length);
    expect(await verify(out)).toMatchObject({ code: 0 });
  });

  it('refuse the request and count nothing when they cannot be written', async () => {
    const key = await accountKey('refused');
    await app.db.raw('ALTER TABLE evidence_chains RENAME TO evidence_chains_away');
    const answer = await app.post('/v1/compliance-br', { cnpj: cnpj('clean'), receipt: true }, key);
    const { body } = await app.query(
      'query ($id: String!) { company(identifier: $id) { compliance(receipt: true) { riskLevel evidence { id } } } }',
      { id: cnpj('clean') },
      key,
    );
    await app.db.raw('ALTER TABLE evidence_chains_away RENAME TO evidence_chains');
    expect([answer.status, answer.body.code]).toEqual([503, 'service_unavailable']);
    expect(body.data.company.compliance).toEqual({ riskLevel: 'LOW', evidence: null });
    expect(body.errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
    const { body: usage } = await get('/v1/usage', key);
    expect(usage.usage.map(({ used }: { used: number }) => used)).toEqual([1]); // the verdict of GraphQL was answered
  });
});
