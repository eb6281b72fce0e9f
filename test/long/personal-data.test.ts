import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { cnpjsFrom } from '../support/made-up-cnpjs.ts';
import { rounds } from '../support/rounds.ts';
import { startUpstream } from '../support/upstream.ts';

/** The nth fictitious CPF, unmasked. */
function cpf(n: number): string {
  const base = String(100_000_000 + n * 7);
  const digit = (text: string) => {
    const rest = ([...text].reduce((sum, char, i) => sum + Number(char) * (text.length + 1 - i), 0) * 10) % 11;
    return text + (rest === 10 ? 0 : rest);
  };
  return digit(digit(base));
}

const OWNERS = 100;
const companies = cnpjsFrom(97_000_000, rounds(100));
const cpfs = companies.flatMap((_, i) => Array.from({ length: OWNERS }, (_owner, j) => cpf(i * OWNERS + j)));
const dotted = (id: string) => id.replace(/(\d{3})(\d{3})(\d{3})(\d{2})/, '$1.$2.$3-$4');

/** A record with unmasked CPFs in the document, the name and the representative of owners, and in the company name. */
const record = (cnpj: string, i: number) => ({
  cnpj,
  razao_social: `PESSOA MODELO ${cpfs[i * OWNERS]}`,
  situacao_cadastral: 2,
  descricao_situacao_cadastral: 'ATIVA',
  data_situacao_cadastral: null,
  data_inicio_atividade: '2001-02-03',
  qsa: Array.from({ length: OWNERS }, (_, j) => cpfs[i * OWNERS + j] ?? '').map((id, j) => ({
    identificador_de_socio: j % 3 === 0 ? 1 : 2,
    nome_socio: j % 2 ? `DONA MODELO ${dotted(id)}` : 'DONO MODELO',
    cnpj_cpf_do_socio: j % 2 ? id : dotted(id),
    qualificacao_socio: 'Sócio',
    data_entrada_sociedade: null,
    nome_representante_legal: `REPRESENTANTE ${id}`,
    qualificacao_representante_legal: 'Procurador',
  })),
});

let app: TestApp;
let registry: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  registry = await startUpstream((path) => ({ body: record(path.slice(1), companies.indexOf(path.slice(1))) }));
  const unlimited = '{"standard":{"compliance_br":{"rate":null}}}';
  app = await testApp({ env: { QUIPU_RECEITA_URL: registry.url, QUIPU_PLANS: unlimited } });
});
afterAll(async () => {
  await app.close();
  await registry.close();
});

describe('ten thousand owners whose CPFs arrive in full', () => {
  it('PR-01 appear in no REST answer, GraphQL answer or log line with a full CPF', async () => {
    const answers: string[] = [];
    for (const cnpj of companies) {
      answers.push(JSON.stringify((await app.post('/v1/compliance-br', { cnpj })).body));
      answers.push(JSON.stringify((await app.post('/v1/owners', { identifier: cnpj, country: 'BR' })).body));
      const query = `{ company(identifier: "${cnpj}") { name kyb { companyName } owners { owners { name identifier legalRepName company { id } } } ownershipGraph { nodes { name } } } }`;
      answers.push(JSON.stringify((await app.query(query)).body));
    }
    const text = answers.join('\n') + JSON.stringify(app.lines);
    expect(text).toContain('DONA MODELO');
    expect(cpfs.filter((id) => text.includes(id) || text.includes(dotted(id)))).toEqual([]);
  });
});
