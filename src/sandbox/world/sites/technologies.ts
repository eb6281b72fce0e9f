import { page, type SandboxSite } from './site.ts';

/** Sites that show what sites are made with. */
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
    note: 'An article about products: it is made with none of them.',
    pages: { '/': { html: page('Solo texto', '<p>Usamos Shopify y WordPress, y cobramos con Webpay, dice este artículo.</p>') } },
  },
];
