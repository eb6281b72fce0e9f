import { TIME_BUDGETS } from '../../domain/catalogue.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { defineLiveSource, type LiveApi } from '../live-source.ts';
import type { ReceitaCompany } from './company.ts';
import { readMinhaReceita } from './minha-receita.ts';
import { readOpenCnpj } from './opencnpj.ts';

export interface ReceitaFederalCalls {
  /** Looks up an establishment by bare CNPJ; null when neither the registry nor the second source has it. @throws AppError SOURCE_UNAVAILABLE */
  company(cnpj: string): Promise<ReceitaCompany | null>;
}

/** Kept from the time budget for the second source, to confirm an absence. */
const CONFIRM_MS = 3 * SECOND_MS;

/**
 * Brazilian tax registry (minha-receita or BrasilAPI JSON), called live, one company per call, within its time budget. The registry's mirrors answer 404 when their own database is slow, so a second, independent mirror
 * (OpenCNPJ) must answer 404 too before a company counts as unknown. Any other response is SOURCE_UNAVAILABLE, an empty or unknown one
 * included.
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
      const company = await registry.get(`/${cnpj}`, {
        deadlineMs: TIME_BUDGETS.receita_federal - CONFIRM_MS,
        read: (answer) => readMinhaReceita(answer, cnpj),
      });
      if (company || !mayConfirm(secondOpinion, registry)) return company;
      return secondOpinion.get(`/${cnpj}`, { deadlineMs: CONFIRM_MS, read: (answer) => readOpenCnpj(answer, cnpj) });
    },
  }),
});

/**
 * Whether the second source may confirm an absence. Its default address is used with the default registry only: sandbox data must not
 * confirm an absence in a real registry, nor a public mirror one in the operator's own.
 */
const mayConfirm = (secondOpinion: LiveApi, registry: LiveApi): boolean =>
  secondOpinion.url !== '' && (secondOpinion.origin === 'given' || secondOpinion.origin === registry.origin);
