import { SECOND_MS } from '../../domain/time.ts';
import { type Address, defineSource, type SourceInstance } from '../source.ts';
import type { ReceitaCompany } from './company.ts';
import { readMinhaReceita } from './minha-receita.ts';
import { readOpenCnpj } from './opencnpj.ts';

export interface ReceitaFederal extends SourceInstance {
  /** Bare CNPJ → its establishment; null when the registry and its second opinion have none. @throws AppError SOURCE_UNAVAILABLE */
  company(cnpj: string): Promise<ReceitaCompany | null>;
}

/**
 * Brazilian tax registry (minha-receita or BrasilAPI JSON), asked live, one company a call. 6 s for an answer, 3 s more to
 * confirm an absence: the registry's mirrors answer 404 when their own database is slow, so a second, independent mirror
 * (OpenCNPJ) must agree before a company is unknown. Any other trouble is SOURCE_UNAVAILABLE, an empty or unknown answer included.
 */
export const receitaFederal = defineSource({
  name: 'receita_federal',
  attribution: 'Receita Federal do Brasil, Cadastro Nacional da Pessoa Jurídica (public data), through minha-receita and OpenCNPJ.',
  addresses: {
    QUIPU_RECEITA_URL: {
      live: 'https://minhareceita.org',
      sandbox: '/receita_federal',
      description: 'Brazilian tax registry, minha-receita or BrasilAPI JSON: base URL, asked as {base}/{cnpj}',
      base: true,
    },
    QUIPU_RECEITA_FALLBACK_URL: {
      live: 'https://api.opencnpj.org',
      sandbox: '/opencnpj',
      description: 'OpenCNPJ base URL, asked to confirm that a company is unknown; empty for none',
      base: true,
      optional: true,
    },
  },
  create({ address, http }): ReceitaFederal {
    const primary = address('QUIPU_RECEITA_URL');
    const fallback = secondOpinion(primary, address('QUIPU_RECEITA_FALLBACK_URL'));
    const registry = http();
    const second = http();
    return {
      async company(cnpj) {
        const company = await registry.get(under(primary.url, cnpj), {
          deadlineMs: 6 * SECOND_MS,
          read: (answer) => readMinhaReceita(answer, cnpj),
        });
        if (company || fallback === null) return company;
        return second.get(under(fallback, cnpj), { deadlineMs: 3 * SECOND_MS, read: (answer) => readOpenCnpj(answer, cnpj) });
      },
      async status() {
        const health = registry.health();
        const doubt = second.health();
        const lastErrorAt = Math.max(health.lastErrorAt ?? 0, doubt.lastErrorAt ?? 0) || null;
        return {
          name: 'receita_federal',
          kind: 'live',
          origin: primary.origin,
          ...health,
          lastErrorAt,
          lastError: lastErrorAt === health.lastErrorAt ? health.lastError : `second_opinion_${doubt.lastError}`,
          list: null,
          usable: health.circuit !== 'open',
        };
      },
      async close() {
        await Promise.all([registry.close(), second.close()]);
      },
    };
  },
});

/**
 * Where to have an absence confirmed; null for nowhere. A default address goes with the default registry only: the made-up world
 * must not answer for a real registry, nor a public mirror for a stand-in.
 */
function secondOpinion(primary: Address, fallback: Address): string | null {
  return fallback.url && (fallback.origin === 'given' || fallback.origin === primary.origin) ? fallback.url : null;
}

const under = (base: string, cnpj: string): URL => new URL(`${base.replace(/\/+$/, '')}/${cnpj}`);
