import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { evidenceCommand } from '../../src/cli/evidence.ts';
import { canonical } from '../../src/evidence/seal.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { attachmentOf } from '../support/pdf.ts';

const CNPJ = companyByScenario('clean').cnpj;
let app: TestApp;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-receipts-'));
  app = await testApp();
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

const get = (url: string) => app.server.inject({ url, headers: { 'x-api-key': app.key } });

/** The text of a new receipt, as the reply has it. */
async function issue(): Promise<string> {
  const payload = { cnpj: CNPJ, receipt: true };
  const { body } = await app.server.inject({ method: 'POST', url: '/v1/compliance-br', headers: { 'x-api-key': app.key }, payload });
  return /"evidence":(.*)\}$/.exec(body)?.[1] ?? '';
}

async function run(...args: readonly string[]) {
  const said = { out: '', err: '' };
  const write = (stream: 'out' | 'err') => (text: string) => {
    said[stream] += text;
  };
  const parts = async () => ({ db: app.db, open: app.open, close: async () => undefined });
  process.exitCode = undefined;
  const command = evidenceCommand(parts, { out: write('out'), err: write('err') });
  await new Command('quipu').addCommand(command).parseAsync(['evidence', ...args], { from: 'user' });
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  return { ...said, code };
}

/** Runs `quipu evidence verify` on a file with this content and the published keys. */
async function verify(content: string | Buffer) {
  const [file, keys] = [path.join(folder, 'receipts'), path.join(folder, 'keys.json')];
  await writeFile(file, content);
  await writeFile(keys, (await get('/.well-known/quipu-evidence-keys')).body);
  return run('verify', file, '--keys', keys);
}

describe('the text of a receipt', () => {
  it('is the same bytes wherever and whenever it is written', async () => {
    const text = await issue();
    const { id, sequence, account } = JSON.parse(text).receipt;
    expect(text).toBe(canonical(JSON.parse(text)));
    expect((await get(`/v1/evidence/${id}`)).body).toBe(text);
    expect((await get(`/v1/evidence?after=${sequence - 1}`)).body).toContain(`[${text}]`);
    const { body } = await app.query('query ($id: ID!) { node(id: $id) { ... on Evidence { document } } }', { id });
    expect(body.data.node.document).toBe(text);
    expect(attachmentOf((await get(`/v1/evidence/${id}?format=pdf`)).rawPayload)).toBe(text);
    expect((await run('export', account)).out.split('\n')).toContain(text);
  });

  it('of a new receipt is that of the stored one in GraphQL, too', async () => {
    const query = 'query ($id: String!) { company(identifier: $id) { compliance(receipt: true) { evidence { id document } } } }';
    const { id, document } = (await app.query(query, { id: CNPJ })).body.data.company.compliance.evidence;
    expect((await get(`/v1/evidence/${id}`)).body).toBe(document);
  });
});

describe('the verification of a file', () => {
  it.each<readonly [string, (text: string) => string]>([
    ['a member twice', (text) => text.replace('"risk_level":"low"', '"risk_level":"low","risk_level":"medium"')],
    ['a member twice, the true value last', (text) => text.replace('"risk_level":"low"', '"risk_level":"medium","risk_level":"low"')],
    ['a member twice, once escaped', (text) => text.replace('"risk_level":"low"', '"risk\\u005flevel":"medium","risk_level":"low"')],
    ['a member twice in an object of a list', (text) => text.replace('"outcome":', '"outcome" : "failed", "outcome":')],
    [
      'a receipt twice in one object',
      (text) => text.replace(/"receipt":(.*),"signature"/, '"receipt":{"version":2},"receipt":$1,"signature"'),
    ],
    ['another receipt behind it on its line', (text) => text + text],
    ['words behind it', (text) => `${text} approved`],
    ['a member beside the list of receipts', (text) => `{"evidence":[${text}],"risk_level":"low"}`],
    ['a member beside the signature', (text) => text.replace('"key_id"', '"risk_level":"high","key_id"')],
    ['a number that programs round', (text) => text.replace('"version":1', '"version":1.00000000000000000001')],
  ])('fails with code 1 for %s, because no signature covers it', async (_, change) => {
    const text = await issue();
    expect(change(text)).not.toBe(text);
    expect(await verify(text)).toMatchObject({ code: 0 });
    expect(await verify(change(text))).toMatchObject({ code: 1, out: '', err: expect.stringContaining('The file has') });
  });

  it('fails with code 1 for bytes that are no UTF-8', async () => {
    const text = await issue();
    expect(await verify(Buffer.concat([Buffer.from(text), Buffer.from([0xff])]))).toMatchObject({ code: 1, out: '' });
  });

  it('fails for a signature with more characters than it needs, and for half a surrogate pair', async () => {
    const text = await issue();
    expect(await verify(text.replace('=="', '==.approved"'))).toMatchObject({ code: 4 });
    expect(await verify(text.replace('"country":"BR"', '"country":"\\ud800"'))).toMatchObject({ code: 2 });
  });

  it('takes a receipt that was indented', async () => {
    expect(await verify(JSON.stringify(JSON.parse(await issue()), null, 2))).toMatchObject({ code: 0 });
  });
});
