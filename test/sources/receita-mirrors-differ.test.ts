import { describe, expect, it } from 'vitest';
import { acme, CNPJ, opencnpj, partner, setup } from './receita-answers.ts';

const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'receita_federal' } };
const limited = { codigo_natureza_juridica: 2062, natureza_juridica: 'Sociedade Empresária Limitada' };
const closed = { situacao_cadastral: 8, descricao_situacao_cadastral: 'BAIXADA' };

describe('UP-03 a record with a gap, of a company that only one mirror calls active', () => {
  const noActivity = { cnae_fiscal: 0 };
  const lostLetter = 'CONSTRU\ufffdO LTDA';

  it.each([
    ['no activity, which is in the row of the status', noActivity],
    ['no activity and no partners', { ...noActivity, ...limited, qsa: [] }],
    ['no activity and a name that lost characters', { ...noActivity, razao_social: lostLetter }],
  ])('leaves the source failed: %s', async (_, gap) => {
    const { source } = await setup({ body: { ...acme, ...gap } }, { body: { ...opencnpj, situacao_cadastral: 'Baixada' } });
    await expect(source.company(CNPJ)).rejects.toMatchObject(unavailable);
    const { source: other } = await setup({ body: { ...acme, ...gap, ...closed } }, { body: opencnpj });
    await expect(other.company(CNPJ)).rejects.toMatchObject(unavailable);
  });

  const partners = [{ name: 'MARIA MODELO' }];
  it.each<[string, object, object]>([
    ['no partners, which become unknown', { ...limited, qsa: [] }, { partners: null }],
    ['a legal name that lost characters', { razao_social: lostLetter }, { legalName: lostLetter, partners }],
    ['a trade name that lost characters', { nome_fantasia: lostLetter }, { tradeName: lostLetter, partners }],
    ['a partner whose name lost a letter', { qsa: [{ ...partner, nome_socio: 'JO\ufffdO' }] }, { partners: [{ name: 'JO\ufffdO' }] }],
    ['a partner without a name', { qsa: [partner, { ...partner, nome_socio: '' }] }, { partners: [...partners, { name: '' }] }],
  ])('is the answer, as a whole one would be, if the gap cannot concern the status: %s', async (_, gap, expected) => {
    const { source } = await setup({ body: { ...acme, ...gap } }, { body: { ...opencnpj, situacao_cadastral: 'Baixada' } });
    expect(await source.datedCompany(CNPJ)).toMatchObject({ mirror: 'minha_receita', value: { registration: 'ATIVA', ...expected } });
    const { source: other } = await setup({ body: { ...acme, ...gap, ...closed } }, { body: opencnpj });
    expect(await other.datedCompany(CNPJ)).toMatchObject({ mirror: 'minha_receita', value: { registration: 'BAIXADA', ...expected } });
  });

  it('is an answer where both call it active, or both do not', async () => {
    const { source } = await setup(
      { body: { ...acme, ...noActivity } },
      { body: { ...opencnpj, situacao_cadastral: 'Ativa Não Regular' } },
    );
    expect(await source.company(CNPJ)).toMatchObject({ registration: 'ATIVA', activityCode: null });
    const { source: other } = await setup(
      { body: { ...acme, ...noActivity, ...closed } },
      { body: { ...opencnpj, situacao_cadastral: 'Inapta' } },
    );
    expect(await other.company(CNPJ)).toMatchObject({ registration: 'BAIXADA', activityCode: null });
  });
});
