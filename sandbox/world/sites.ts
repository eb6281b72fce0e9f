import { domainToASCII } from 'node:url';
import { formatCnpj, formatRut } from '../../src/domain/tax-id.ts';
import { companyByScenario } from './brazil/world.ts';
import type { ChileanCompany } from './chile/company.ts';
import { chileanByScenario } from './chile/world.ts';
import type { DnsRecord } from './dns-zone.ts';

/** The response of a fictional site at one path. Text is sent as UTF-8 HTML unless `charset` or `headers` differ. */
export interface SandboxPage {
  /** HTML text of the page. */
  readonly html?: string;
  /** Raw bytes in place of `html`, e.g. a picture. */
  readonly body?: Buffer;
  /** HTTP status; 200 by default. */
  readonly status?: number;
  /** Headers beside `content-type`, which they may replace. An array for a repeated header. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Encoding of the text, declared in the header. */
  readonly charset?: 'utf-8' | 'windows-1252';
}

/** A website of the fictional world, served on loopback under its own name, with or without `www.` */
export interface SandboxSite {
  /** Registrable domain, A-labels. */
  readonly domain: string;
  /** One sentence: the result of a visit. */
  readonly note: string;
  /** By path, e.g. `/`, `/contacto`, `/robots.txt`; any other is the site's 404. */
  readonly pages: Readonly<Record<string, SandboxPage>>;
  /** Records beside its addresses, e.g. MX and TXT. */
  readonly records?: readonly DnsRecord[];
}

/** Wraps a body into a complete HTML page. */
export const page = (title: string, body: string, head = ''): string =>
  `<!doctype html>\n<html lang="es">\n<head>\n<title>${title}</title>\n${head}</head>\n<body>\n${body}\n</body>\n</html>\n`;

/** Sites for charsets and redirects, without companies or technologies. */
export const plainSites: readonly SandboxSite[] = [
  {
    domain: 'pagina-sencilla.cl',
    note: 'Two plain pages in Windows-1252.',
    pages: {
      '/': { html: page('Página sencilla', '<h1>Ñuñoa en línea</h1>\n<a href="/contacto">Contacto</a>'), charset: 'windows-1252' },
      '/contacto': { html: page('Contacto', '<p>Avenida Irarrázaval 0</p>'), charset: 'windows-1252' },
    },
  },
  {
    domain: 'mudado-ficticio.cl',
    note: 'Moved: every page redirects to another site.',
    pages: { '/': { status: 301, headers: { location: 'http://pagina-sencilla.cl/' } } },
  },
];

const rutOf = (scenario: string): string => formatRut(chileanByScenario(scenario).rut);

/** The site of a company that has a domain. */
function siteOf(scenario: string, note: string, pagesOf: (company: ChileanCompany) => SandboxSite['pages']): SandboxSite {
  const company = chileanByScenario(scenario);
  return { domain: domainToASCII(company.domain ?? ''), note, pages: pagesOf(company) };
}

const footer = (...lines: readonly string[]): string => `<footer>\n${lines.map((line) => `<p>${line}</p>`).join('\n')}\n</footer>`;

/** Footer text of the agency on its customers' sites. */
const SIGNATURE = `Sitio por Agencia Web Pixel Chileno Ltda. RUT ${rutOf('cl-agency')}`;

const LINKS =
  '<nav>\n<a href="/">Inicio</a>\n<a href="/terminos-y-condiciones">Términos y condiciones</a>\n<a href="/contacto">Contacto</a>\n</nav>';

/** Sites of Chilean companies: each shows its RUT in another place, or not at all. */
export const chileanSites: readonly SandboxSite[] = [
  siteOf('cl-clean', 'Its RUT is in the footer of every page.', ({ rut }) => {
    const foot = footer(
      `Panadería La Marraqueta Ficticia SpA&nbsp;| RUT:&nbsp;${formatRut(rut)} | Fono +56 2 2345 6789`,
      'Providencia, Santiago',
    );
    return {
      '/': { html: page('La Marraqueta, pan de cada día', `${LINKS}\n<h1>Pan de cada día</h1>\n${foot}`) },
      '/contacto': { html: page('Contacto', `<h1>Contacto</h1>\n<p>contacto@marraqueta-ficticia.cl</p>\n${foot}`) },
    };
  }),
  siteOf('cl-large', 'Its RUT is in the structured data of its home page only.', ({ rut, name }) => {
    const data = { '@context': 'https://schema.org', '@graph': [{ '@type': ['Corporation'], name, taxID: formatRut(rut) }] };
    const head = `<script type="application/ld+json">${JSON.stringify(data)}</script>\n`;
    return { '/': { html: page('Minera Pico de Oro', `<h1>Cobre inventado</h1>\n${footer('© Minera Pico de Oro')}`, head) } };
  }),
  siteOf('cl-medium', 'Its footer has its RUT, with an unusual dash, and the RUT of the web agency.', ({ rut }) => ({
    '/': {
      html: page(
        'Constructora Cuatro Vientos',
        `<h1>Construimos</h1>\n${footer(`Constructora Cuatro Vientos Ltda · R.U.T. ${formatRut(rut).replace('-', '–')}`, SIGNATURE)}`,
      ),
    },
  })),
  siteOf('cl-accents', 'An internationalised domain name; its page is in Windows-1252.', ({ rut }) => ({
    '/': {
      html: page('Viña Ñandú', `<h1>Viña Ñandú &amp; Peñalolén</h1>\n${footer(`Viña Ñandú S.A. Rol Único Tributario ${formatRut(rut)}`)}`),
      charset: 'windows-1252',
    },
  })),
  siteOf('cl-agency', 'Its RUT is in its own footer and in the footers of its customers.', () => ({
    '/': { html: page('Pixel Chileno', `<h1>Hacemos sitios</h1>\n${footer(SIGNATURE)}`) },
  })),
  siteOf('cl-shop', 'A shop (Jumpseller, Webpay). Its RUT is in its terms only; every page credits the web agency.', ({ rut }) => ({
    '/': {
      html: page(
        'Tienda El Cachareo',
        `${LINKS}\n<h1>Cachivaches</h1>\n${footer('Paga con Webpay', SIGNATURE)}`,
        '<script src="https://assets.jumpseller.com/store/cachareo/themes/app.js"></script>\n<script src="https://webpay3g.transbank.cl/webpayserver/webpay.js"></script>\n',
      ),
    },
    '/terminos-y-condiciones': {
      html: page(
        'Términos y condiciones',
        `<p>Este sitio es operado por TIENDA EL CACHAREO SpA, RUT ${formatRut(rut)}, con domicilio en Providencia.</p>\n${footer(SIGNATURE)}`,
      ),
    },
    '/contacto': { html: page('Contacto', `<p>hola@cachareo-ficticia.cl</p>\n${footer(SIGNATURE)}`) },
  })),
  siteOf('cl-no-rut-on-site', 'Its pages have no RUT of a company: one is of a person, one is an example.', () => ({
    '/': {
      html: page(
        'Aguas Calmas',
        `${LINKS}\n<h1>Energía</h1>\n<p>Ingrese su RUT, por ejemplo 12.345.678-5</p>\n<p>Pedido 76.400.112-3</p>\n${footer(SIGNATURE)}`,
      ),
    },
    '/contacto': { html: page('Contacto', '<p>Representante legal: Juana Ficticia, RUT 9.876.543-3</p>') },
  })),
  siteOf('cl-supplier', 'Its RUT is next to its name on its "about" page, without a label.', ({ rut }) => ({
    '/': { html: page('Insumos Clínicos del Sur', '<h1>Insumos</h1>\n<a href="/nosotros">Quiénes somos</a>') },
    '/nosotros': {
      html: page('Quiénes somos', `<p>Insumos Clínicos del Sur SpA (${formatRut(rut)}) abastece a hospitales inventados.</p>`),
    },
  })),
];

/** Sites that cannot be read, each in its way. */
export const unreadableSites: readonly SandboxSite[] = [
  {
    domain: 'sin-robots-ficticio.cl',
    note: 'Its robots.txt disallows every robot.',
    pages: {
      '/robots.txt': { body: Buffer.from('User-agent: *\nDisallow: /\n'), headers: { 'content-type': 'text/plain' } },
      '/': { html: page('Sin robots', footer('Sin Robots SpA', `RUT ${rutOf('cl-micro')}`)) },
    },
  },
  {
    domain: 'caido-ficticio.cl',
    note: 'Down: its server answers 500.',
    pages: { '/': { status: 500, html: page('Error', '<h1>Error</h1>') } },
  },
  {
    domain: 'muralla-ficticia.cl',
    note: 'Behind a bot check.',
    pages: {
      '/': { status: 403, headers: { 'cf-mitigated': 'challenge' }, html: page('Just a moment...', '<p>Checking your browser</p>') },
    },
  },
  {
    domain: 'folleto-ficticio.cl',
    note: 'Its home page is a PDF.',
    pages: { '/': { body: Buffer.from('%PDF-1.4\n'), headers: { 'content-type': 'application/pdf' } } },
  },
];

const cnpjOf = (scenario: string): string => formatCnpj(companyByScenario(scenario).cnpj);

/** Sites of Brazilian companies whose number the domain registry does not show. */
export const brazilianSites: readonly SandboxSite[] = [
  {
    domain: 'tressorrisos-ficticia.com.br',
    note: 'Its CNPJ is in the footer.',
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
    note: 'Its CNPJ is in its privacy policy, next to its name.',
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
    note: 'Its pages have no CNPJ.',
    pages: { '/': { html: page('Sem nome', '<h1>Em construção</h1>') } },
  },
];

/** Sites for the detection of technologies. */
export const technologySites: readonly SandboxSite[] = [
  {
    domain: 'tienda-ficticia.cl',
    note: 'WordPress with WooCommerce behind Nginx, paid through Webpay and Mercado Pago; its mail is at Google.',
    pages: {
      '/': {
        html: page(
          'Tienda ficticia',
          '<form action="https://webpay3g.transbank.cl/webpayserver/initTransaction"></form>',
          [
            '<meta name="generator" content="WordPress 6.2.2">',
            '<meta name="generator" content="WooCommerce 7.8.0">',
            '<link rel="stylesheet" href="/wp-content/plugins/woocommerce/assets/css/woocommerce.css?ver=7.8.0">',
            '<script src="/wp-includes/js/jquery/jquery.min.js?ver=3.6.4"></script>',
            '<script src="https://sdk.mercadopago.com/js/v2"></script>',
          ].join('\n'),
        ),
        headers: { server: 'nginx/1.18.0', 'x-powered-by': 'PHP/7.4.33', 'set-cookie': ['PHPSESSID=abc; path=/'] },
      },
    },
    records: [{ type: 'MX', preference: 1, host: 'aspmx.l.google.com' }],
  },
  {
    domain: 'solo-texto-ficticio.cl',
    note: 'An article that names products; the site uses none of them.',
    pages: { '/': { html: page('Solo texto', '<p>Usamos Shopify y WordPress, y cobramos con Webpay, dice este artículo.</p>') } },
  },
];

/** Every website of the sandbox. */
export const sites: readonly SandboxSite[] = [...plainSites, ...chileanSites, ...unreadableSites, ...brazilianSites, ...technologySites];
