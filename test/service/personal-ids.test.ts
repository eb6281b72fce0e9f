import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/time.ts';
import { monitorService } from '../../src/modules/monitor/service/monitor.ts';
import { call } from '../modules/monitor/api-requests.ts';
import { CEIS_HEADER } from '../modules/monitor/ceis-file.ts';
import { START, start, work } from '../modules/screening/support.ts';
import { acme, partner } from '../sources/receita-answers.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { nameWithCpfs, textWithCpf, withoutPunctuation, writtenCpf } from '../support/cpf-spellings.ts';
import { cnpjsFrom } from '../support/made-up-cnpjs.ts';
import { textOf } from '../support/pdf.ts';
import { inFullRun } from '../support/rounds.ts';
import { startUpstream } from '../support/upstream.ts';
import '../support/property-seed.ts';

const OWNERS = 50;
const companies = cnpjsFrom(95_000_000, inFullRun(60, 8));

/** Every CPF that an upstream wrote. */
const written = new Set<string>();
const noted = <T extends { readonly cpfs: readonly string[] }>(texts: readonly T[]): readonly T[] => {
  for (const { cpfs } of texts) for (const cpf of cpfs) written.add(cpf);
  return texts;
};
const count = companies.length * (OWNERS + 1);
const samples = <T>(arbitrary: fc.Arbitrary<T>): T[] => fc.sample(arbitrary, { numRuns: count, seed: 7 });
const names = noted(samples(nameWithCpfs));
const others = noted(fc.sample(nameWithCpfs, { numRuns: count, seed: 8 }));
const texts = noted(samples(textWithCpf));
const documents = samples(writtenCpf(true));
for (const { cpf } of documents) written.add(cpf);

let activity = 'Padaria';

/** A sole trader of whose record every text and every document has a CPF. */
function record(cnpj: string) {
  const i = companies.indexOf(cnpj) * (OWNERS + 1);
  const qsa = Array.from({ length: OWNERS }, (_, owner) => {
    const n = i + owner + 1;
    const document = documents[n]?.written ?? '';
    const isNumber = owner % 5 === 0;
    return {
      ...partner,
      identificador_de_socio: (owner % 3) + 1,
      nome_socio: names[n]?.text,
      cnpj_cpf_do_socio: isNumber ? Number(documents[n]?.cpf) : document,
      qualificacao_socio: texts[n]?.text,
      nome_representante_legal: others[n]?.text,
      qualificacao_representante_legal: texts[n]?.text,
    };
  });
  return {
    ...acme,
    cnpj,
    opcao_pelo_mei: true,
    razao_social: names[i]?.text,
    nome_fantasia: others[i]?.text,
    situacao_especial: texts[i]?.text,
    cnae_fiscal_descricao: `${activity} ${texts[i]?.text}`,
    municipio: texts[i]?.text,
    qsa,
  };
}

/** CEIS, with the companies and with people whose documents and names are CPFs. */
function ceis(): string {
  const rows = companies.flatMap((cnpj, i) => [
    ['CEIS', `${i}`, 'J', cnpj, names[i]?.text, '1/2023', 'Suspensão', '10/01/2023', '', 'Prefeitura'],
    ['CEIS', `P${i}`, 'F', documents[i]?.cpf, others[i]?.text, '1/2023', 'Suspensão', '10/01/2023', '', 'Prefeitura'],
  ]);
  return [CEIS_HEADER, ...rows].map((cells) => cells.map((cell) => `"${cell}"`).join(';')).join('\r\n');
}

let app: TestApp;
let registry: Awaited<ReturnType<typeof startUpstream>>;
let now = Date.parse('2026-11-22T12:00:00Z');
beforeAll(async () => {
  registry = await startUpstream((path) =>
    path.startsWith('/ceis') ? { body: ceis(), headers: { 'content-type': 'text/csv' } } : { body: record(path.slice(1)) },
  );
  const plan = { rate: null };
  const env = {
    QUIPU_RECEITA_URL: registry.url,
    QUIPU_CEIS_URL: `${registry.url}/ceis/{date}`,
    QUIPU_PLANS: JSON.stringify({ standard: { compliance_br: plan, kyb: plan, owners: plan, enrich: plan, debarment: plan } }),
  };
  app = await testApp({ env, now: () => now });
});
afterAll(async () => {
  await app.close();
  await registry.close();
});

/** The CPFs that a text shows. Digits of two values, or of two lines, are no number. */
const shownIn = (text: string): readonly string[] => {
  const values = text.split(/[\n"]/).filter((value) => /\p{Nd}/u.test(value));
  const bare = values.map(withoutPunctuation).join('|');
  return [...written].filter((cpf) => bare.includes(cpf.replace(/^0+/, '')));
};

const file = async (url: string): Promise<Buffer> => (await app.server.inject({ url, headers: { 'x-api-key': app.key } })).rawPayload;

describe('CPFs in every writing, in every text that upstreams send', () => {
  it('PR-01 are in no answer of REST, GraphQL or MCP', async () => {
    const query = `query ($id: String!) { company(identifier: $id) {
      name kyb { companyName } profile { companyName activity } debarment { records { cnpj sanctionType } }
      owners { owners { name role identifier legalRepName company { id } } } ownershipGraph { nodes { name } }
      compliance(receipt: true) { evidence { document } } } }`;
    for (const cnpj of companies) {
      const company = { identifier: cnpj, country: 'BR' };
      const answers = await Promise.all([
        app.post('/v1/compliance-br', { cnpj, receipt: true }),
        ...['kyb', 'owners', 'enrich', 'debarment'].map((module) => app.post(`/v1/${module}`, company)),
        app.query(query, { id: cnpj }),
        app.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'check_company', arguments: company } }),
      ]);
      expect(answers.map(({ status, body }) => [status, body.errors])).toEqual(answers.map(() => [200, undefined]));
      expect(JSON.stringify(answers.at(-1)?.body)).toContain('DEBARMENT');
      expect(JSON.stringify(answers.at(-2)?.body)).toContain('MARIA INVENTADA');
      expect(answers.flatMap(({ body }) => shownIn(JSON.stringify(body)))).toEqual([]);
    }
  });

  it('PR-01 are in no result file of a screening and in no receipt', async () => {
    const id = await start(app, companies, { modules: ['compliance_br'] });
    await work(app);
    expect((await call(app, 'GET', `${START}/${id}`)).body).toMatchObject({ state: 'done', done: companies.length });
    const files = await Promise.all(
      [`${START}/${id}/results`, `${START}/${id}/results.csv`, `${START}/${id}/results.jsonl`, '/v1/evidence'].map(file),
    );
    expect(String(files[1])).toContain('MARIA INVENTADA');
    expect(files.flatMap((content) => shownIn(String(content)))).toEqual([]);
    const { evidence } = (await call(app, 'GET', '/v1/evidence?limit=3')).body;
    for (const { receipt } of evidence)
      for (const format of ['pdf', 'report'])
        expect(shownIn(textOf(await file(`/v1/evidence/${receipt.id}?format=${format}`)))).toEqual([]);
  });

  it('PR-01 are in no change of a monitor, no table of the database and no line of the log', async () => {
    await app.post('/v1/monitor/subscriptions', { identifiers: companies, country: 'BR', webhook_url: 'https://127.0.0.1/hook' });
    const { checks } = app.open(monitorService);
    for (activity of ['Padaria', 'Sapataria']) {
      await checks.check('BR', new AbortController().signal);
      now += 7 * HOUR_MS;
    }
    const { rows: tables } = await app.db.raw("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    let stored = '';
    for (const { tablename } of tables) {
      const { rows } = await app.db.raw('SELECT row_to_json(t)::text AS row FROM ?? t', [tablename]);
      stored += rows.map(({ row }: { row: string }) => row.replaceAll('\\"', '"')).join('\n');
    }
    expect(stored).toContain('MARIA INVENTADA');
    expect(shownIn(stored)).toEqual([]);
    expect(shownIn(JSON.stringify(app.lines))).toEqual([]);
  });
});
