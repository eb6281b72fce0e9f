import { SECOND_MS } from '../../domain/time.ts';
import { defineLiveSource, type LiveApi } from '../live-source.ts';
import type { ReceitaCompany } from './company.ts';
import { readMinhaReceita } from './minha-receita.ts';
import { readOpenCnpj } from './opencnpj.ts';

export interface ReceitaFederalCalls {
  /** Bare CNPJ → its establishment; null when the registry and its second opinion have none. @throws AppError SOURCE_UNAVAILABLE */
  company(cnpj: string): Promise<ReceitaCompany | null>;
}

/**
 * Brazilian tax registry (minha-receita or BrasilAPI JSON), called live, one company per call: 6 s for the answer, 3 s more to
 * confirm an absence. The registry's mirrors answer 404 when their own database is slow, so a second, independent mirror
 * (OpenCNPJ) must agree before a company counts as unknown. Every other answer is SOURCE_UNAVAILABLE, an empty or unknown one included.
 */
export const receitaFederal = defineLiveSource({
  name: 'receita_federal',
  attribution: 'Receita Federal do Brasil, Cadastro Nacional da Pessoa Jurídica (public data), through minha-receita and OpenCNPJ.',
  bases: {
    registry: {
      setting: 'QUIPU_RECEITA_URL',
      live: 'https://minhareceita.org',
      sandbox: '/receita_federal',
      description: 'Brazilian tax registry, minha-receita or BrasilAPI JSON: base URL, asked as {base}/{cnpj}',
    },
    second_opinion: {
      setting: 'QUIPU_RECEITA_FALLBACK_URL',
      live: 'https://api.opencnpj.org',
      sandbox: '/opencnpj',
      description: 'OpenCNPJ base URL, asked to confirm that a company is unknown; empty for none',
      optional: true,
    },
  },
  calls: ({ registry, second_opinion: secondOpinion }): ReceitaFederalCalls => ({
    async company(cnpj) {
      const company = await registry.get(`/${cnpj}`, { deadlineMs: 6 * SECOND_MS, read: (answer) => readMinhaReceita(answer, cnpj) });
      if (company || !mayConfirm(secondOpinion, registry)) return company;
      return secondOpinion.get(`/${cnpj}`, { deadlineMs: 3 * SECOND_MS, read: (answer) => readOpenCnpj(answer, cnpj) });
    },
  }),
});

/**
 * Whether the second opinion may confirm an absence. A default address goes with the default registry only: the made-up world
 * must not answer for a real registry, nor a public mirror for the operator's own.
 */
const mayConfirm = (secondOpinion: LiveApi, registry: LiveApi): boolean =>
  secondOpinion.url !== '' && (secondOpinion.origin === 'given' || secondOpinion.origin === registry.origin);
