import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import { liveSource } from '../support/sources.ts';
import { type Reply, upstream } from '../support/upstream.ts';

/** One company as both mirrors of the Brazilian tax registry answer it. */

export const CNPJ = '11222333000181';

export const partner = {
  pais: null,
  nome_socio: 'MARIA MODELO',
  codigo_pais: null,
  cnpj_cpf_do_socio: '***456789**',
  qualificacao_socio: 'Sócio-Administrador',
  data_entrada_sociedade: '2005-04-03',
  identificador_de_socio: 2,
  codigo_qualificacao_socio: 49,
  nome_representante_legal: '',
  qualificacao_representante_legal: 'Não informada',
};
export const acme = {
  cnpj: CNPJ,
  razao_social: 'ACME LTDA',
  situacao_cadastral: 2,
  descricao_situacao_cadastral: 'ATIVA',
  data_situacao_cadastral: '2005-11-03',
  data_inicio_atividade: '2001-02-03',
  identificador_matriz_filial: 1,
  situacao_especial: '',
  cnae_fiscal: 220903,
  cnae_fiscal_descricao: 'Coleta de castanha-do-pará em florestas nativas',
  cnaes_secundarios: [{ codigo: 161099, descricao: 'Atividades de apoio à agricultura' }],
  codigo_porte: 3,
  porte: 'EMPRESA DE PEQUENO PORTE',
  opcao_pelo_mei: false,
  uf: 'AP',
  municipio: 'MAZAGAO',
  qsa: [partner],
};
export const opencnpj = {
  cnpj: CNPJ,
  razao_social: 'ACME LTDA',
  situacao_cadastral: 'Ativa',
  data_situacao_cadastral: '2005-11-03',
  matriz_filial: 'Matriz',
  data_inicio_atividade: '2001-02-03',
  situacao_especial: '',
  cnae_principal: '0220903',
  cnaes: [
    { codigo: '0161099', descricao: 'Atividades de apoio à agricultura', is_principal: false },
    { codigo: '0220903', descricao: 'Coleta de castanha-do-pará em florestas nativas', is_principal: true },
  ],
  porte_empresa: 'Empresa de Pequeno Porte',
  opcao_mei: 'N',
  uf: 'AP',
  municipio: 'MAZAGAO',
  QSA: [
    {
      nome_socio: 'MARIA MODELO',
      cnpj_cpf_socio: '***456789**',
      qualificacao_socio: 'Sócio-Administrador',
      data_entrada_sociedade: '2005-04-03',
      identificador_socio: 'Pessoa Física',
      pais: { codigo: '', descricao: '' },
      nome_representante: '',
      qualificacao_representante: { codigo: '00', descricao: 'Não informada' },
    },
  ],
};
export const notFound: Reply = { status: 404, body: { message: 'CNPJ 11.222.333/0001-81 não encontrado.' } };

/** The source over a registry and, where given, a second opinion. */
export async function setup(first: Reply, second?: Reply) {
  const primary = await upstream(() => first);
  const fallback = second && (await upstream(() => second));
  const source = liveSource(receitaFederal, { QUIPU_RECEITA_URL: primary.url, QUIPU_RECEITA_FALLBACK_URL: fallback?.url ?? '' });
  return { source, primary, fallback };
}
