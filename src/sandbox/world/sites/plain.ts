import { page, type SandboxSite } from './site.ts';

/** Sites that show how sites answer, and say nothing of companies or technologies. */
export const plainSites: readonly SandboxSite[] = [
  {
    domain: 'pagina-sencilla.cl',
    note: 'Two plain pages, in the charset of another century.',
    pages: {
      '/': { html: page('Página sencilla', '<h1>Ñuñoa en línea</h1>\n<a href="/contacto">Contacto</a>'), charset: 'windows-1252' },
      '/contacto': { html: page('Contacto', '<p>Avenida Irarrázaval 0</p>'), charset: 'windows-1252' },
    },
  },
  {
    domain: 'mudado-ficticio.cl',
    note: 'Moved: every page of it is a redirect to another site.',
    pages: { '/': { status: 301, headers: { location: 'http://pagina-sencilla.cl/' } } },
  },
];
