import { formatCnpj } from '../../../domain/cnpj.ts';
import { companyByScenario } from '../brazil/world.ts';
import { page, type SandboxSite } from './site.ts';

const cnpjOf = (scenario: string): string => formatCnpj(companyByScenario(scenario).cnpj);

/** Sites of Brazilian companies whose number the domain registry does not show. */
export const brazilianSites: readonly SandboxSite[] = [
  {
    domain: 'tressorrisos-ficticia.com.br',
    note: 'Its CNPJ stands in the footer.',
    pages: {
      '/': {
        html: page(
          'Clínica Três Sorrisos',
          `<h1>Sorria</h1>\n<div class="rodape">Clínica Três Sorrisos Ltda – CNPJ: ${cnpjOf('clean-small')}</div>`,
        ),
      },
    },
  },
  {
    domain: 'marshmallow-ficticia.com.br',
    note: 'Its CNPJ stands in its privacy policy, beside its name.',
    pages: {
      '/': { html: page('Cimentos', '<h1>Cimentos de Marshmallow</h1>\n<a href="/politica-de-privacidade">Política de Privacidade</a>') },
      '/politica-de-privacidade': {
        html: page(
          'Política de Privacidade',
          `<p>CIMENTOS DE MARSHMALLOW S/A, inscrita no CNPJ/MF sob o nº ${cnpjOf('clean-sa-closed')}.</p>`,
        ),
      },
    },
  },
  {
    domain: 'semnome-ficticia.com.br',
    note: 'No page of it names a CNPJ.',
    pages: { '/': { html: page('Sem nome', '<h1>Em construção</h1>') } },
  },
];
