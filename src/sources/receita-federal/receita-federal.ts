import type { Found } from '../../domain/answer.ts';
import { TIME_BUDGETS } from '../../domain/catalogue.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { runInContext } from '../http/call-context.ts';
import type { HttpAnswer } from '../http/client.ts';
import { defineLiveSource, type LiveApi } from '../live-source.ts';
import type { ReceitaCompany } from './company.ts';
import { readCopyDate, readMinhaReceita } from './minha-receita.ts';
import { readOpenCnpj } from './opencnpj.ts';

export interface ReceitaFederalCalls {
  /** As `company`, with the date of the registry's copy; null where it states none, and for a company that only the second source has. */
  datedCompany(cnpj: string): Promise<Pick<Found<ReceitaCompany | null>, 'value' | 'dataAsOf'>>;
  /** Looks up an establishment by bare CNPJ; null when neither the registry nor the second source has it. @throws AppError SOURCE_UNAVAILABLE */
  company(cnpj: string): Promise<ReceitaCompany | null>;
}

/** Kept from the time budget for what follows the answer of the registry: the second source, which confirms an absence, and the date. */
const CONFIRM_MS = 3 * SECOND_MS;
const COPY_DATE_MS = SECOND_MS;
const COPY_DATE_TTL_MS = 30 * MINUTE_MS;

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
      description: 'Brazilian tax registry, minha-receita or BrasilAPI JSON: base URL; the service requests {base}/{cnpj}.',
    },
    second_opinion: {
      setting: 'QUIPU_RECEITA_FALLBACK_URL',
      live: 'https://api.opencnpj.org',
      sandbox: '/opencnpj',
      description: 'OpenCNPJ: base URL of the second mirror, which confirms that a company is unknown. Empty for none.',
      optional: true,
    },
  },
  calls({ registry, second_opinion: secondOpinion }, { now }): ReceitaFederalCalls {
    const copyDate = createCopyDate(registry, now);

    async function find(cnpj: string): Promise<{ readonly company: ReceitaCompany | null; readonly isFromRegistry: boolean }> {
      const deadlineMs = TIME_BUDGETS.receita_federal - CONFIRM_MS;
      const known = await registry.get(`/${cnpj}`, { deadlineMs, read: (answer) => readMinhaReceita(answer, cnpj) });
      if (known || !mayConfirm(secondOpinion, registry)) return { company: known, isFromRegistry: true };
      const read = (answer: HttpAnswer) => readOpenCnpj(answer, cnpj);
      const company = await secondOpinion.get(`/${cnpj}`, { deadlineMs: CONFIRM_MS - COPY_DATE_MS, read });
      return { company, isFromRegistry: company === null };
    }

    return {
      company: async (cnpj) => (await find(cnpj)).company,
      async datedCompany(cnpj) {
        const { company, isFromRegistry } = await find(cnpj);
        return { value: company, dataAsOf: isFromRegistry ? await copyDate() : null };
      },
    };
  },
});

/**
 * Creates the reader of the date of the registry's copy. It reads the date at most every 30 minutes, after an answer of the registry. Only
 * the first answers wait for it. While it is read again or cannot be read, the last known date is used: the copy is at least as new.
 */
function createCopyDate(registry: LiveApi, now: Clock): () => Promise<string | null> {
  let known: string | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const date = await registry.get('/updated', { deadlineMs: COPY_DATE_MS, read: readCopyDate });
    known = date ?? known;
  };
  return async () => {
    if (now() - readAt >= COPY_DATE_TTL_MS) {
      readAt = now();
      reading = runInContext({}, read).catch(() => undefined); // later answers use it, so no caller cancels it
    }
    if (known === null) await reading;
    return known;
  };
}

/**
 * Whether the second source may confirm an absence. Its default address is used with the default registry only: sandbox data must not
 * confirm an absence in a real registry, nor a public mirror one in the operator's own.
 */
const mayConfirm = (secondOpinion: LiveApi, registry: LiveApi): boolean =>
  secondOpinion.url !== '' && (secondOpinion.origin === 'given' || secondOpinion.origin === registry.origin);
