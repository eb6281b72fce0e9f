import { describe, expect, it } from 'vitest';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import { liveSource } from '../support/sources.ts';
import { type Reply, upstream } from '../support/upstream.ts';
import { acme, CNPJ, notFound, opencnpj, partner, setup } from './receita-answers.ts';

/*
 * Half-failed loads of the first mirror: https://github.com/cuducos/minha-receita/issues/269,
 * https://github.com/BrasilAPI/BrasilAPI/issues/650. Every company had an empty legal name, no size and no partners, with status 200.
 */

const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'receita_federal' } };
const unknown: Reply = { status: 404, body: { error: 'not found' } };
const hollow = { ...acme, razao_social: '', qsa: [], porte: null, codigo_porte: null };
const [secondPartner] = opencnpj.QSA;
const limited = { codigo_natureza_juridica: 2062, natureza_juridica: 'Sociedade Empresária Limitada' };
const otherLimited = { natureza_juridica: 'Sociedade Empresária Limitada' };

describe('the second mirror of the Brazilian tax registry', () => {
  it.each<[string, Reply]>([
    ['a record without name, size and partners', { body: hollow }],
    ['a record with a null name', { body: { ...acme, razao_social: null } }],
    ...['  ', '0', CNPJ, '11.222.333/0001-81', 'SEM NOME', 'Não informada', 'N/D'].map((razao_social): [string, Reply] => [
      `a record with the name ${JSON.stringify(razao_social)}`,
      { body: { ...acme, razao_social } },
    ]),
    ['a record without a status', { body: { ...acme, situacao_cadastral: null } }],
    ['a record without its partners member', { body: { ...acme, qsa: undefined } }],
    ['an error', { status: 500, body: '' }],
    ['a refusal', { status: 403, body: '<html>403 Forbidden</html>' }],
    ['too many requests', { status: 429, body: 'Too Many Requests' }],
    ['a page of HTML', { body: '<html>Just a moment…</html>' }],
    ['a proxy’s 404', { status: 404, body: '<html>' }],
    ['another company', { body: { ...acme, cnpj: '00000000000191' } }],
    ['an unknown shape', { body: { data: acme } }],
    ['a reset', ({ socket }) => void socket.destroy()],
  ])('answers where the first one answers with %s, and the answer names it', async (_, first) => {
    const { source, fallback } = await setup(first, { body: opencnpj });
    const { value, mirror } = await source.datedCompany(CNPJ);
    expect(mirror).toBe('opencnpj');
    expect(value).toMatchObject({ legalName: 'ACME LTDA', registration: 'ATIVA', partners: [{ name: 'MARIA MODELO' }] });
    expect(fallback?.asked.filter((path) => path === `/${CNPJ}`)).toHaveLength(1);
  });

  it('answers in time where the first one is silent', async () => {
    const { source } = await setup(() => undefined, { body: opencnpj });
    expect(await source.datedCompany(CNPJ)).toMatchObject({ mirror: 'opencnpj', value: { legalName: 'ACME LTDA' } });
  });

  it('is not asked for a whole record, whose answer names the first one', async () => {
    const { source, fallback } = await setup({ body: acme }, { body: opencnpj });
    expect(await source.datedCompany(CNPJ)).toMatchObject({ mirror: 'minha_receita', value: { legalName: 'ACME LTDA' } });
    expect(fallback?.asked).toEqual([]);
  });

  it.each<[string, Reply, Reply | undefined]>([
    ['an empty record, and no second mirror', { body: hollow }, undefined],
    ['an empty record, and a second mirror that is down', { body: hollow }, { status: 502, body: '' }],
    ['an empty record, and a second mirror that has no such company', { body: hollow }, unknown],
    ['a failure, and a second mirror that has no such company', { status: 500, body: '' }, unknown],
    ['a failure, and a record without a name', { status: 500, body: '' }, { body: { ...opencnpj, razao_social: '' } }],
    ['an absence, and a record without a name', notFound, { body: { ...opencnpj, razao_social: '' } }],
    ['two failures', { status: 500, body: '' }, { status: 500, body: '' }],
    ['an empty record of a closed company that the second mirror calls active', { body: { ...hollow, ...closed() } }, { body: opencnpj }],
    ['two records without a name that differ', { body: { ...hollow, ...closed() } }, { body: { ...opencnpj, razao_social: '' } }],
  ])('UP-03 leaves the source failed after %s', async (_, first, second) => {
    const { source } = await setup(first, second);
    await expect(source.company(CNPJ)).rejects.toMatchObject(unavailable);
  });

  it('confirms that a record has no name', async () => {
    const { source } = await setup({ body: { ...acme, razao_social: '' } }, { body: { ...opencnpj, razao_social: '' } });
    expect(await source.datedCompany(CNPJ)).toMatchObject({ value: { legalName: '', registration: 'ATIVA' }, mirror: 'minha_receita' });
  });

  it('dates its answers by its own page', async () => {
    const first = await upstream((path) => (path === '/updated' ? { body: { message: '2026-01-15' } } : { body: hollow }));
    const second = await upstream((path) => ({ body: path === '/info' ? { last_updated: '2026-09-15T00:54:41Z' } : opencnpj }));
    const source = liveSource(receitaFederal, { QUIPU_RECEITA_URL: first.url, QUIPU_RECEITA_FALLBACK_URL: second.url });
    expect(await source.datedCompany(CNPJ)).toMatchObject({ mirror: 'opencnpj', dataAsOf: '2026-09-15' });
  });

  it('has the whole source answer while the first mirror, after many empty records, is set aside', async () => {
    const { source, primary } = await setup({ body: hollow }, { body: opencnpj });
    for (let i = 0; i < 15; i += 1) expect(await source.company(CNPJ)).toMatchObject({ legalName: 'ACME LTDA' });
    expect(primary.asked).toHaveLength(10);
    expect(await source.status()).toMatchObject({ circuit: 'open', usable: true, lastError: 'circuit_open' });
  });
});

function closed() {
  return { situacao_cadastral: 8, descricao_situacao_cadastral: 'BAIXADA' };
}

describe('a record without partners', () => {
  it.each([
    ['of a limited company', limited, otherLimited],
    ['of an association', { codigo_natureza_juridica: '399-9' }, { natureza_juridica: 'Associação Privada' }],
    ['whose nature lost its accents and has no code', { natureza_juridica: 'Sociedade Empres?ria Limitada' }, otherLimited],
  ])('%s is completed by the second mirror', async (_, nature, other) => {
    const { source } = await setup({ body: { ...acme, ...nature, qsa: [] } }, { body: { ...opencnpj, ...other } });
    expect(await source.datedCompany(CNPJ)).toMatchObject({ mirror: 'opencnpj', value: { partners: [{ name: 'MARIA MODELO' }] } });
  });

  it('is an empty list where the second mirror has none either', async () => {
    const { source } = await setup({ body: { ...acme, ...limited, qsa: [] } }, { body: { ...opencnpj, ...otherLimited, QSA: [] } });
    expect(await source.datedCompany(CNPJ)).toMatchObject({ mirror: 'minha_receita', value: { partners: [] } });
  });

  it.each<[string, Reply]>([
    ['is down', { status: 500, body: '' }],
    ['has no such company', unknown],
    ['has no answer of its own', { body: { ...opencnpj, razao_social: '' } }],
  ])('leaves the partners unknown, and the registration known, where the second mirror %s', async (_, second) => {
    const { source } = await setup({ body: { ...acme, ...limited, qsa: [] } }, second);
    expect(await source.company(CNPJ)).toMatchObject({ registration: 'ATIVA', partners: null });
  });

  it('has none where no second mirror is configured', async () => {
    const { source } = await setup({ body: { ...acme, ...limited, qsa: [] } }, undefined);
    expect(await source.company(CNPJ)).toMatchObject({ registration: 'ATIVA', partners: [] });
  });

  it('leaves the partners unknown where the second mirror alone has the company', async () => {
    const { source } = await setup({ status: 500, body: '' }, { body: { ...opencnpj, ...otherLimited, QSA: [] } });
    expect(await source.company(CNPJ)).toMatchObject({ legalName: 'ACME LTDA', partners: null });
  });

  it.each([
    ['a sole trader', { codigo_natureza_juridica: 2135 }],
    ['a micro-entrepreneur', { ...limited, opcao_pelo_mei: true }],
    ['a municipality', { codigo_natureza_juridica: 1244 }],
  ])('is whole for %s: the second mirror is not asked', async (_, nature) => {
    const { source, fallback } = await setup({ body: { ...acme, ...nature, qsa: null } }, { body: opencnpj });
    expect(await source.company(CNPJ)).toMatchObject({ partners: [] });
    expect(fallback?.asked).toEqual([]);
  });
});

describe('a record without partners and without a legal nature', () => {
  const first = { body: { ...acme, qsa: [] } };

  it('has the partners of the second mirror, and none where that has none', async () => {
    const { source } = await setup(first, { body: opencnpj });
    expect(await source.company(CNPJ)).toMatchObject({ partners: [{ name: 'MARIA MODELO' }] });
    const { source: other } = await setup(first, { body: { ...opencnpj, QSA: [] } });
    expect(await other.company(CNPJ)).toMatchObject({ partners: [] });
  });

  it.each<[string, Reply, Reply]>([
    ['the second mirror fails', first, { status: 500, body: '' }],
    ['the second mirror has no such company', first, unknown],
    ['the second mirror alone has it', { status: 500, body: '' }, { body: { ...opencnpj, QSA: [] } }],
  ])('UP-03 leaves the partners unknown where %s', async (_, one, second) => {
    const { source } = await setup(one, second);
    expect(await source.company(CNPJ)).toMatchObject({ registration: 'ATIVA', partners: null });
  });
});

describe('a record with another gap', () => {
  it('has its activity from the second mirror', async () => {
    const { source } = await setup({ body: { ...acme, cnae_fiscal: 0, cnae_fiscal_descricao: '' } }, { body: opencnpj });
    expect(await source.company(CNPJ)).toMatchObject({ activityCode: '0220903' });
  });

  it('keeps its partners where only the second mirror has its activity, and only the first one the partners', async () => {
    const first = { ...acme, ...limited, cnae_fiscal: 0 };
    const { source } = await setup({ body: first }, { body: { ...opencnpj, ...otherLimited, QSA: [] } });
    expect(await source.datedCompany(CNPJ)).toMatchObject({ mirror: 'minha_receita', value: { partners: [{ name: 'MARIA MODELO' }] } });
  });

  it('has a name that lost characters from the second mirror, and as it is where that is down', async () => {
    const broken = { ...acme, razao_social: 'CONSTRU\ufffd\ufffdO LTDA' };
    const { source } = await setup({ body: broken }, { body: { ...opencnpj, razao_social: 'CONSTRUCAO LTDA' } });
    expect(await source.company(CNPJ)).toMatchObject({ legalName: 'CONSTRUCAO LTDA' });
    const { source: alone } = await setup({ body: broken }, { status: 500, body: '' });
    expect(await alone.company(CNPJ)).toMatchObject({ legalName: 'CONSTRU\ufffd\ufffdO LTDA' });
  });

  it('has the name of one partner of several from the second mirror, and none where that is down', async () => {
    const broken = { ...acme, ...limited, qsa: [partner, { ...partner, nome_socio: '' }] };
    const second = { ...opencnpj, ...otherLimited, QSA: [secondPartner, { ...secondPartner, nome_socio: 'JOAO MODELO' }] };
    const { source } = await setup({ body: broken }, { body: second });
    expect(await source.company(CNPJ)).toMatchObject({ partners: [{ name: 'MARIA MODELO' }, { name: 'JOAO MODELO' }] });
    const { source: alone } = await setup({ body: broken }, { status: 500, body: '' });
    expect(await alone.company(CNPJ)).toMatchObject({ partners: [{ name: 'MARIA MODELO' }, { name: '' }] });
  });

  it('is read where its codes are text', async () => {
    const qsa = [{ ...partner, identificador_de_socio: '2', codigo_qualificacao_socio: '49' }];
    const { source } = await setup({ body: { ...acme, identificador_matriz_filial: '2', qsa } });
    expect(await source.company(CNPJ)).toMatchObject({ isBranch: true, partners: [{ kind: 'person', role: 'Sócio-Administrador' }] });
  });

  it.each([
    [2, 'Sócio', 'Sócio', null], // of 22
    [2, 'S\u00c3\u00b3cio', 'Sócio', null],
    [3, 'Sócio Pessoa Jurídica Domiciliado no Exterior', 'Sócio Pessoa Jurídica Domiciliado no Exterior', null], // of 37
    [22, 'S?cio', 'Sócio', 22],
    [22, 'Quotista', 'Sócio', 22],
    [22, 'Não informada', 'Sócio', 22],
    [22, null, 'Sócio', 22],
  ])('of role %s beside %s has the role %s', async (code, text, role, roleCode) => {
    const { source } = await setup({ body: { ...acme, qsa: [{ ...partner, codigo_qualificacao_socio: code, qualificacao_socio: text }] } });
    expect(await source.company(CNPJ)).toMatchObject({ partners: [{ role, roleCode }] });
  });

  it('has the partner names that lost characters from the second mirror', async () => {
    const broken = { ...acme, qsa: [{ ...partner, nome_socio: 'JO\ufffdO MODELO' }] };
    const second = { ...opencnpj, QSA: [{ ...secondPartner, nome_socio: 'JOAO MODELO' }] };
    const { source } = await setup({ body: broken }, { body: second });
    expect(await source.company(CNPJ)).toMatchObject({ partners: [{ name: 'JOAO MODELO' }] });
  });
});

describe('the registration', () => {
  const registered = async (situacao_cadastral: unknown, descricao_situacao_cadastral: unknown, second?: Reply) => {
    const { source } = await setup({ body: { ...acme, situacao_cadastral, descricao_situacao_cadastral } }, second);
    return (await source.company(CNPJ))?.registration;
  };

  it.each([
    [2, 'Ativa', 'ATIVA'],
    [8, ' baixada ', 'BAIXADA'],
    [5, 'ATIVA NÃO REGULAR', 'ATIVA NÃO REGULAR'],
    [5, 'ATIVA NAO REGULAR', 'ATIVA NÃO REGULAR'],
    [5, 'Ativa NÃ£o Regular', 'ATIVA NÃO REGULAR'],
    [5, 'ATIVA N?O REGULAR', 'ATIVA NÃO REGULAR'],
    [5, 'ATIVA N\ufffdO REGULAR', 'ATIVA NÃO REGULAR'],
    [5, 'ATIVA - NÃO REGULAR', 'ATIVA NÃO REGULAR'],
    [5, 'ATIVA_NAO_REGULAR', 'ATIVA NÃO REGULAR'],
    [5, '05', 'ATIVA NÃO REGULAR'],
    [5, '', 'ATIVA NÃO REGULAR'],
    [5, null, 'ATIVA NÃO REGULAR'],
  ])('of code %d and the words %j is %s', async (code, words, expected) => {
    expect(await registered(code, words)).toBe(expected);
  });

  it.each([
    [2, 'ATIVA NÃO REGULAR'],
    [5, 'ATIVA'],
    [5, 'INAPTA'],
    [2, '05'],
    [2, 'INATIVA'],
    [2, ''],
    [6, 'NOVA'],
    ['2', 'ATIVA'],
  ])('of code %j and the words %j is a failure', async (code, words) => {
    await expect(registered(code, words)).rejects.toMatchObject(unavailable);
  });

  it('is read from the words of OpenCNPJ in any spelling', async () => {
    for (const words of ['Ativa Não Regular', 'ATIVA NAO REGULAR', 'Ativa NÃ£o Regular']) {
      const { source } = await setup({ status: 500, body: '' }, { body: { ...opencnpj, situacao_cadastral: words } });
      expect(await source.company(CNPJ)).toMatchObject({ registration: 'ATIVA NÃO REGULAR' });
    }
  });

  // https://github.com/Hitmasu/OpenCNPJ: the API prints the code of a registration that it has no name of.
  it('is read from code 5 of OpenCNPJ; another code is a failure', async () => {
    const read = async (situacao_cadastral: string) => {
      const { source } = await setup({ status: 500, body: '' }, { body: { ...opencnpj, situacao_cadastral } });
      return source.company(CNPJ);
    };
    for (const code of ['05', '5']) expect(await read(code)).toMatchObject({ registration: 'ATIVA NÃO REGULAR' });
    for (const code of ['06', '02', '', '55']) await expect(read(code), code).rejects.toMatchObject(unavailable);
  });
});
