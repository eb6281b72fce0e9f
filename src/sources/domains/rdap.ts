import { SECOND_MS } from '../../domain/time.ts';
import { defineSource, type SourceInstance } from '../source.ts';
import { type Registrant, readRegistrant } from './registrant.ts';

export interface Rdap extends SourceInstance {
  /** Registrable `.br` domain in A-labels → who holds it. @throws AppError SOURCE_UNAVAILABLE */
  registrant(domain: string): Promise<Registrant>;
}

/**
 * registro.br's RDAP, asked live, one domain a call, 6 s for an answer. It slows down and shuts out those who ask much, and says
 * nothing of its limits, so two calls at once are the most.
 */
export const rdap = defineSource({
  name: 'rdap',
  attribution: 'Núcleo de Informação e Coordenação do Ponto BR (registro.br), RDAP.',
  addresses: {
    QUIPU_RDAP_BR_URL: {
      live: 'https://rdap.registro.br',
      sandbox: '/rdap',
      description: 'Holders of .br domains, RDAP base URL, asked as {base}/domain/{name}',
      base: true,
    },
  },
  create({ address, http }): Rdap {
    const { url, origin } = address('QUIPU_RDAP_BR_URL');
    const registry = http({ concurrency: 2 });
    return {
      registrant: (domain) =>
        registry.get(new URL(`${url.replace(/\/+$/, '')}/domain/${domain}`), {
          deadlineMs: 6 * SECOND_MS,
          headers: { accept: 'application/rdap+json, application/json' },
          read: (answer) => readRegistrant(answer, domain),
        }),
      async status() {
        const health = registry.health();
        return { name: 'rdap', kind: 'live', origin, ...health, list: null, usable: health.circuit !== 'open' };
      },
      close: () => registry.close(),
    };
  },
});
