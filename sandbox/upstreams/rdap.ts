import { formatCnpj } from '../../src/domain/tax-id.ts';
import { brazilianDomains, type SandboxDomain } from '../world/brazil/world.ts';
import { jsonReply, type SimulatedReply, type Simulator } from './simulator.ts';

const byName = new Map(brazilianDomains.map((one) => [one.domain, one]));
const JSON_TYPE = { 'content-type': 'application/rdap+json; charset=utf-8' };

/**
 * registro.br's RDAP: `GET /domain/{name}`. Its answers list technical contacts before the registrant, nest people in the registrant, and lack
 * the time in some dates.
 */
export const rdapSimulator: Simulator = {
  name: 'rdap',
  handle({ path }) {
    const [, name = ''] = /^\/domain\/(.+)$/.exec(path) ?? [];
    if (!/^[a-z\d-]+(\.[a-z\d-]+)+$/.test(name)) return problem(400, 'Bad Request', `${name || path} is not a domain name`);
    const domain = byName.get(name);
    if (!domain) return problem(404, 'Not Found', `${name} is not registered`);
    if (domain.shows === 'blocked')
      return { status: 403, headers: { 'content-type': 'text/html' }, body: '<html><title>403 Forbidden</title></html>' };
    if (domain.shows === 'slow_down')
      return { status: 429, headers: { 'content-type': 'text/plain', 'retry-after': '1' }, body: 'Too Many Requests' };
    return jsonReply(200, domainJson(domain), 'objectClassName', JSON_TYPE);
  },
};

const problem = (errorCode: number, title: string, sentence: string): SimulatedReply =>
  jsonReply(
    errorCode,
    { rdapConformance: ['rdap_level_0'], errorCode, title, description: [sentence], lang: 'en' },
    'errorCode',
    JSON_TYPE,
  );

function domainJson({ domain, shows, holder }: SandboxDomain): Readonly<Record<string, unknown>> {
  return {
    objectClassName: 'domain',
    handle: domain,
    ldhName: domain,
    rdapConformance: ['rdap_level_0', 'nicbr_level_0'],
    nameservers: [
      {
        objectClassName: 'nameserver',
        ldhName: `ns1.${domain}`,
        events: [{ eventAction: 'delegation check', eventDate: '2026-11-20', status: ['ns aa'] }],
      },
    ],
    secureDNS: { delegationSigned: false },
    entities: [
      contact('CONFI', 'Contato Fictício', 'technical'),
      {
        objectClassName: 'entity',
        handle: shows === 'company' || shows === 'handle' ? holder.cnpj : shows === 'person' ? '11144477735' : 'TITUL7',
        vcardArray: jcard(shows === 'person' ? 'individual' : 'org', shows === 'person' ? 'Fulano Fictício' : holder.name),
        roles: ['registrant'],
        ...publicIds({ shows, holder }),
        entities: [contact('ADMFI', 'Administradora Fictícia', 'administrative')],
        events: [{ eventAction: 'registration', eventDate: '2012-03-14' }],
        legalRepresentative: 'Representante Fictício',
      },
    ],
    events: [
      { eventAction: 'registration', eventDate: '2012-03-14' },
      { eventAction: 'last changed', eventDate: '2025-05-02T12:00:00Z' },
    ],
    status: ['active'],
    publicIds: [{ type: 'ticket', identifier: '162310' }],
    lang: 'pt',
  };
}

function publicIds({ shows, holder }: Pick<SandboxDomain, 'shows' | 'holder'>): { readonly publicIds?: readonly object[] } {
  if (shows === 'company') return { publicIds: [{ type: 'cnpj', identifier: formatCnpj(holder.cnpj) }] };
  return shows === 'person' ? { publicIds: [{ type: 'cpf', identifier: '111.444.777-35' }] } : {};
}

const jcard = (kind: string, name: string) => [
  'vcard',
  [
    ['version', {}, 'text', '4.0'],
    ['kind', {}, 'text', kind],
    ['fn', {}, 'text', name],
  ],
];

const contact = (handle: string, name: string, role: string) => ({
  objectClassName: 'entity',
  handle,
  vcardArray: jcard('individual', name),
  roles: [role],
});
