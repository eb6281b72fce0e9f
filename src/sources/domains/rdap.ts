import { SECOND_MS } from '../../domain/time.ts';
import { defineLiveSource } from '../live-source.ts';
import { type Registrant, readRegistrant } from './registrant.ts';

export interface RdapCalls {
  /** Registrable `.br` domain in A-labels → its registrant. @throws AppError SOURCE_UNAVAILABLE */
  registrant(domain: string): Promise<Registrant>;
}

/**
 * RDAP of registro.br, called live, one domain per call, 6 s for the answer. The registry slows down and blocks heavy users and
 * publishes no limits, so at most two calls run at once.
 */
export const rdap = defineLiveSource({
  name: 'rdap',
  attribution: 'Núcleo de Informação e Coordenação do Ponto BR (registro.br), RDAP.',
  bases: {
    registry: {
      setting: 'QUIPU_RDAP_BR_URL',
      live: 'https://rdap.registro.br',
      sandbox: '/rdap',
      description: 'Holders of .br domains, RDAP base URL, asked as {base}/domain/{name}',
    },
  },
  concurrency: 2,
  calls: ({ registry }): RdapCalls => ({
    registrant: (domain) =>
      registry.get(`/domain/${domain}`, {
        deadlineMs: 6 * SECOND_MS,
        headers: { accept: 'application/rdap+json, application/json' },
        read: (answer) => readRegistrant(answer, domain),
      }),
  }),
});
