import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMinhaReceita } from '../../src/sources/receita-federal/minha-receita.ts';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import { samplePath } from '../support/samples.ts';
import { liveSource } from '../support/sources.ts';
import { type Reply, upstream } from '../support/upstream.ts';
import { acme, CNPJ, notFound, opencnpj, partner, setup } from './receita-answers.ts';

const data = samplePath('brazil/cnpj');
const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'receita_federal' } };

describe('the Brazilian tax registry', () => {
  it('is queried by bare CNPJ, and its fields keep the registry’s values', async () => {
    const { source, primary } = await setup({ body: acme });
    expect(await source.company(CNPJ)).toEqual({
      cnpj: CNPJ,
      legalName: 'ACME LTDA',
      tradeName: null,
      registration: 'ATIVA',
      registrationSince: '2005-11-03',
      openedOn: '2001-02-03',
      isBranch: false,
      specialSituation: null,
      activityCode: '0220903',
      activity: 'Coleta de castanha-do-pará em florestas nativas',
      nature: null,
      size: 'EMPRESA DE PEQUENO PORTE',
      capital: null,
      isMei: false,
      state: 'AP',
      municipality: 'MAZAGAO',
      partners: [
        {
          kind: 'person',
          name: 'MARIA MODELO',
          document: '***456789**',
          roleCode: 49,
          role: 'Sócio-Administrador',
          entryDate: '2005-04-03',
          country: null,
          legalRepName: null,
          legalRepRole: null,
        },
      ],
      details: expect.objectContaining({ otherActivities: [expect.objectContaining({ code: '0161099' })] }),
    });
    expect(primary.asked).toEqual([`/${CNPJ}`]);
  });

  it.each([
    [1, 'NULA'],
    [2, 'ATIVA'],
    [3, 'SUSPENSA'],
    [4, 'INAPTA'],
    [8, 'BAIXADA'],
  ])('reads situacao_cadastral %d as %s', async (code, registration) => {
    const { source } = await setup({ body: { ...acme, situacao_cadastral: code, descricao_situacao_cadastral: registration } });
    expect(await source.company(CNPJ)).toMatchObject({ registration });
  });

  it('PR-01 masks a CPF that arrives in full, drops "none", and keeps a company’s CNPJ', async () => {
    const rows = ['529.982.247-25', '***000000**', '', '04.311.762/0001-60'].map((cnpj_cpf_do_socio) => ({
      ...partner,
      cnpj_cpf_do_socio,
    }));
    const { source } = await setup({ body: { ...acme, qsa: rows } });
    expect((await source.company(CNPJ))?.partners?.map(({ document }) => document)).toEqual(['***982247**', null, null, '04311762000160']);
  });

  it('drops impossible dates, and Brazil as a foreign country', async () => {
    const row = { ...partner, data_entrada_sociedade: '0202-01-01', pais: 'BRASIL' };
    const { source } = await setup({ body: { ...acme, data_inicio_atividade: '4100-01-01', qsa: [row] } });
    expect(await source.company(CNPJ)).toMatchObject({ openedOn: null, partners: [{ entryDate: null, country: null }] });
  });

  it('reads a null or empty list of partners as none', async () => {
    for (const qsa of [null, []]) {
      const { source } = await setup({ body: { ...acme, qsa } });
      expect((await source.company(CNPJ))?.partners).toEqual([]);
    }
  });

  it('reads its own "não encontrado" as an absence when there is no second source', async () => {
    const { source } = await setup(notFound);
    expect(await source.company(CNPJ)).toBeNull();
  });

  it('queries the second source before a company counts as unknown', async () => {
    const { source, fallback } = await setup(notFound, { status: 404, body: { error: 'not found' } });
    expect(await source.company(CNPJ)).toBeNull();
    expect(fallback?.asked).toEqual([`/${CNPJ}`]);
  });

  it('does not let the sandbox or a public mirror confirm an absence in a registry that the operator configured', async () => {
    const primary = await upstream(() => notFound);
    const other = await upstream(() => ({ body: opencnpj }));
    const origins = { QUIPU_RECEITA_URL: 'given', QUIPU_RECEITA_FALLBACK_URL: 'sandbox' } as const;
    const urls = { QUIPU_RECEITA_URL: primary.url, QUIPU_RECEITA_FALLBACK_URL: other.url };
    expect(await liveSource(receitaFederal, urls, origins).company(CNPJ)).toBeNull();
    expect(other.asked).toEqual([]);
  });

  it('reports a second source that fails, because every unknown company fails with it', async () => {
    const { source } = await setup(notFound, { status: 502, body: '' });
    await expect(source.company(CNPJ)).rejects.toMatchObject(unavailable);
    expect(await source.status()).toMatchObject({ lastError: 'second_opinion_status_502' });
  });

  it('returns the company when only the second source has it', async () => {
    const { source } = await setup(notFound, { body: opencnpj });
    expect(await source.company(CNPJ)).toMatchObject({ legalName: 'ACME LTDA', registration: 'ATIVA', partners: [{ kind: 'person' }] });
  });

  it.each<[string, Reply, Reply | undefined]>([
    ['a proxy’s 404', { status: 404, body: '<html>' }, undefined],
    ['a 404 of another API', { status: 404, body: { message: 'no Route matched with those values' } }, undefined],
    ['a 404 of its router', { status: 404, body: { message: 'Rota não encontrada' } }, undefined],
    ['a 404 that names no company', { status: 404, body: { message: 'CNPJ não encontrado.' } }, undefined],
    ['a 404 about another company', { status: 404, body: { message: 'CNPJ 00.000.000/0001-91 não encontrado.' } }, undefined],
    ['a 404 with words around the absence', { status: 404, body: { message: 'Erro: CNPJ 11.222.333/0001-81 não encontrado.' } }, undefined],
    ['an empty 404', { status: 404, body: '' }, undefined],
    ['a refusal', { status: 400, body: { message: 'CNPJ inválido.' } }, undefined],
    ['a maintenance page', { body: '<html>Em manutenção</html>' }, undefined],
    ['an empty body', { body: '' }, undefined],
    ['an empty object', { body: {} }, undefined],
    ['a list', { body: [acme] }, undefined],
    ['another company', { body: { ...acme, cnpj: '00000000000191' } }, undefined],
    ['an unknown standing', { body: { ...acme, situacao_cadastral: 7 } }, undefined],
    ['a code of active beside the words of a closed company', { body: { ...acme, descricao_situacao_cadastral: 'BAIXADA' } }, undefined],
    ['a code of active beside the words of an unfit one', { body: { ...acme, descricao_situacao_cadastral: 'INAPTA' } }, undefined],
    ['a code of a closed company beside the words of active', { body: { ...acme, situacao_cadastral: 8 } }, undefined],
    ['a code of a standing without its words', { body: { ...acme, descricao_situacao_cadastral: undefined } }, undefined],
    ['an activity that is no code', { body: { ...acme, cnae_fiscal: { odd: true } } }, undefined],
    ['owners left out', { body: { ...acme, qsa: undefined } }, undefined],
    ['an unknown kind of owner', { body: { ...acme, qsa: [{ ...partner, identificador_de_socio: 9 }] } }, undefined],
    ['an absence that the second opinion cannot confirm', notFound, { status: 502, body: '{"error":"invalid shard payload"}' }],
    ['an absence met by a challenge page', notFound, { body: '<html>Just a moment…</html>' }],
    ['a second opinion about another company', notFound, { body: { ...opencnpj, cnpj: '00000000000191' } }],
    ['a second opinion of an unknown standing', notFound, { body: { ...opencnpj, situacao_cadastral: 'Nova' } }],
    ['a second opinion of another shape', notFound, { body: { ...opencnpj, QSA: undefined } }],
  ])('UP-03 reports %s as a failed source, never as an absence', async (_, first, second) => {
    const { source } = await setup(first, second);
    await expect(source.company(CNPJ)).rejects.toMatchObject(unavailable);
  });

  it('UP-03 reads a mutated response as the same facts or refuses it', () => {
    const text = JSON.stringify(acme);
    const truth = readMinhaReceita({ status: 200, text }, CNPJ);
    const keys = Object.keys(acme) as (keyof typeof acme)[];
    const verdict: readonly string[] = ['cnpj', 'razao_social', 'situacao_cadastral', 'qsa', 'data_inicio_atividade'];
    const mutation = fc.oneof(
      fc.integer({ min: 0, max: text.length - 1 }).map((at) => text.slice(0, at)),
      fc.constantFrom(...keys.filter((key) => verdict.includes(key))).map((key) => JSON.stringify({ ...acme, [key]: undefined })),
      fc.constantFrom(...keys.filter((key) => verdict.includes(key))).map((key) => text.replace(`"${key}"`, `"x_${key}"`)),
      fc.constantFrom('qsa', 'razao_social', 'situacao_cadastral').map((key) => JSON.stringify({ ...acme, [key]: { odd: true } })),
      fc.constant('<html><body>Service unavailable</body></html>'),
    );
    fc.assert(
      fc.property(mutation, (mutated) => {
        const read = attempt(() => readMinhaReceita({ status: 200, text: mutated }, CNPJ));
        if (read !== 'refused') expect(read).toEqual(truth);
      }),
      { numRuns: 10_000 },
    );
  });
});

const attempt = <T>(read: () => T): T | 'refused' => {
  try {
    return read();
  } catch {
    return 'refused';
  }
};

describe('recorded answers of the Brazilian tax registry', () => {
  const recorded = readdirSync(data).filter((file) => /^(brasilapi|minhareceita)_[0-9A-Z]{14}\.json$/.test(file));

  it.each(recorded)('reads %s', (file) => {
    const [, cnpj = ''] = /_([0-9A-Z]{14})\./.exec(file) ?? [];
    const text = readFileSync(path.join(data, file), 'utf8');
    const raw = JSON.parse(text);
    const company = readMinhaReceita({ status: 200, text }, cnpj);
    expect(company).toMatchObject({ cnpj, legalName: raw.razao_social, registration: raw.descricao_situacao_cadastral });
    expect(company?.partners).toHaveLength(raw.qsa?.length ?? 0);
  });

  it('reads the recorded absence as an absence and the recorded refusal as a failure', () => {
    const body = (file: string) => readFileSync(path.join(data, file), 'utf8');
    expect(readMinhaReceita({ status: 404, text: body('brasilapi_error_404_12ABC34501DE35.json') }, '12ABC34501DE35')).toBeNull();
    expect(() => readMinhaReceita({ status: 400, text: body('brasilapi_error_400_19131243000198.json') }, '19131243000198')).toThrow();
  });

  it('reads the same company from both mirrors alike', async () => {
    const recordedAnswer = (file: string): Reply => ({ body: JSON.parse(readFileSync(path.join(data, file), 'utf8')) });
    const { source: one } = await setup(recordedAnswer('brasilapi_04311762000160.json'));
    const unknown: Reply = { status: 404, body: { message: 'CNPJ 04.311.762/0001-60 não encontrado.' } };
    const { source: other } = await setup(unknown, recordedAnswer('opencnpj_04311762000160.json'));
    const sorted = async (source: typeof one) => {
      const company = await source.company('04311762000160');
      const partners = company?.partners?.map((row) => ({ ...row, roleCode: null })).sort((a, b) => a.name.localeCompare(b.name));
      return { ...company, partners };
    };
    expect(await sorted(other)).toEqual(await sorted(one));
  });
});
