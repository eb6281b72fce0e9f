import { domainToASCII } from 'node:url';
import { formatRut } from '../../../domain/rut.ts';
import type { ChileanCompany } from '../chile/company.ts';
import { chileanByScenario } from '../chile/world.ts';
import { page, type SandboxSite } from './site.ts';

const rutOf = (scenario: string): string => formatRut(chileanByScenario(scenario).rut);

/** The site of a company that has a domain. */
function siteOf(scenario: string, note: string, pagesOf: (company: ChileanCompany) => SandboxSite['pages']): SandboxSite {
  const company = chileanByScenario(scenario);
  return { domain: domainToASCII(company.domain ?? ''), note, pages: pagesOf(company) };
}

const footer = (...lines: readonly string[]): string => `<footer>\n${lines.map((line) => `<p>${line}</p>`).join('\n')}\n</footer>`;

/** What the agency signs its customers' sites with. */
const SIGNATURE = `Sitio por Agencia Web Pixel Chileno Ltda. RUT ${rutOf('cl-agency')}`;

const LINKS =
  '<nav>\n<a href="/">Inicio</a>\n<a href="/terminos-y-condiciones">Términos y condiciones</a>\n<a href="/contacto">Contacto</a>\n</nav>';

/** Sites of the Chilean companies that have one: where a RUT may stand, and where it does not. */
export const chileanSites: readonly SandboxSite[] = [
  siteOf('cl-clean', 'Its RUT stands in the footer of every page.', ({ rut }) => {
    const foot = footer(
      `Panadería La Marraqueta Ficticia SpA&nbsp;| RUT:&nbsp;${formatRut(rut)} | Fono +56 2 2345 6789`,
      'Providencia, Santiago',
    );
    return {
      '/': { html: page('La Marraqueta, pan de cada día', `${LINKS}\n<h1>Pan de cada día</h1>\n${foot}`) },
      '/contacto': { html: page('Contacto', `<h1>Contacto</h1>\n<p>contacto@marraqueta-ficticia.cl</p>\n${foot}`) },
    };
  }),
  siteOf('cl-large', 'Its RUT stands in the structured data of its front page only.', ({ rut, name }) => {
    const data = { '@context': 'https://schema.org', '@graph': [{ '@type': ['Corporation'], name, taxID: formatRut(rut) }] };
    const head = `<script type="application/ld+json">${JSON.stringify(data)}</script>\n`;
    return { '/': { html: page('Minera Pico de Oro', `<h1>Cobre inventado</h1>\n${footer('© Minera Pico de Oro')}`, head) } };
  }),
  siteOf('cl-medium', "Its RUT in the footer, with an unusual dash, beside the agency's.", ({ rut }) => ({
    '/': {
      html: page(
        'Constructora Cuatro Vientos',
        `<h1>Construimos</h1>\n${footer(`Constructora Cuatro Vientos Ltda · R.U.T. ${formatRut(rut).replace('-', '–')}`, SIGNATURE)}`,
      ),
    },
  })),
  siteOf('cl-accents', 'An IDN, in ISO-8859-1.', ({ rut }) => ({
    '/': {
      html: page('Viña Ñandú', `<h1>Viña Ñandú &amp; Peñalolén</h1>\n${footer(`Viña Ñandú S.A. Rol Único Tributario ${formatRut(rut)}`)}`),
      charset: 'windows-1252',
    },
  })),
  siteOf('cl-agency', "Its own RUT in the footer, as in its customers'.", () => ({
    '/': { html: page('Pixel Chileno', `<h1>Hacemos sitios</h1>\n${footer(SIGNATURE)}`) },
  })),
  siteOf('cl-shop', 'A shop (Jumpseller, Webpay). Its RUT stands in its terms only; the agency signs every page.', ({ rut }) => ({
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
  siteOf('cl-no-rut-on-site', 'No page of it names a RUT but one of a person and one that is an example.', () => ({
    '/': {
      html: page(
        'Aguas Calmas',
        `${LINKS}\n<h1>Energía</h1>\n<p>Ingrese su RUT, por ejemplo 12.345.678-5</p>\n<p>Pedido 76.400.112-3</p>\n${footer(SIGNATURE)}`,
      ),
    },
    '/contacto': { html: page('Contacto', '<p>Representante legal: Juana Ficticia, RUT 9.876.543-3</p>') },
  })),
  siteOf('cl-supplier', 'Its RUT beside its name on its "about" page, without a label.', ({ rut }) => ({
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
    note: 'Its robots.txt asks every robot to stay away.',
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
    note: 'A bot wall in front of it.',
    pages: {
      '/': { status: 403, headers: { 'cf-mitigated': 'challenge' }, html: page('Just a moment...', '<p>Checking your browser</p>') },
    },
  },
  {
    domain: 'folleto-ficticio.cl',
    note: 'Its front page is a PDF.',
    pages: { '/': { body: Buffer.from('%PDF-1.4\n'), headers: { 'content-type': 'application/pdf' } } },
  },
];
