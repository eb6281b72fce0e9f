import type { RawFingerprint } from './fingerprint-format.ts';

/** Technologies whose rules give false matches: the second alternative of Choices matches any address with "css" in it. */
export const DROPPED: readonly string[] = ['Choices'];

/** Rules that the published set lacks: for frameworks that it detects in a browser only, and for payment services of Latin America. */
export const ADDED: Readonly<Record<string, RawFingerprint>> = {
  'Next.js': {
    cats: [18, 22],
    headers: { 'x-powered-by': '^Next\\.js ?([0-9.]+)?\\;version:\\1' },
    dom: ['script#__NEXT_DATA__'],
    scriptSrc: ['/_next/static/'],
    implies: ['React', 'webpack', 'Node.js'],
  },
  'Nuxt.js': {
    cats: [12, 18, 22, 57],
    dom: ['#__nuxt', '#__NUXT_DATA__'],
    html: ['<script [^>]*>window\\.__NUXT__'],
    scriptSrc: ['/_nuxt/'],
    implies: ['Vue.js', 'Node.js'],
  },
  Remix: { cats: [18, 22], scripts: ['window\\.__remixContext'], implies: ['React'] },
  SvelteKit: {
    cats: [66],
    dom: ['#svelte-announcer'],
    scripts: ['__sveltekit_'],
    scriptSrc: ['/_app/immutable/'],
    implies: ['Svelte', 'Node.js', 'Vite'],
  },
  'Transbank Webpay': {
    cats: [41],
    scriptSrc: ['webpay3g(?:int)?\\.transbank\\.cl'],
    dom: ["form[action*='transbank.cl']", "img[src*='webpay' i]"],
    html: ['<[^>]+webpay3g(?:int)?\\.transbank\\.cl'],
  },
  'Mercado Pago': {
    cats: [41],
    scriptSrc: [
      'sdk\\.mercadopago\\.com',
      'secure\\.mlstatic\\.com/(?:sdk/javascript|mptools)',
      'mercadopago\\.com/(?:integrations|checkout|v\\d)',
    ],
    dom: ["form[action*='mercadopago.com']", "a[href*='mercadopago.com/checkout' i]", "a[href*='mpago.la']"],
  },
  Wompi: { cats: [41], scriptSrc: ['(?:checkout|cdn)\\.wompi\\.co'], dom: ["form[action*='checkout.wompi.co']"] },
  PayU: {
    cats: [41],
    scriptSrc: ['(?:gateway|checkout|maf|ecommerce)\\.(?:\\w+\\.)?payulatam\\.com'],
    dom: ["form[action*='payulatam.com']", "a[href*='payulatam.com']"],
  },
  Khipu: {
    cats: [41],
    scriptSrc: ['(?:khipu\\.com|khenshin)'],
    dom: ["form[action*='khipu.com/payment']", "a[href*='khipu.com/payment']"],
  },
  'Flow.cl': { cats: [41], dom: ["form[action*='flow.cl/']", "a[href*='flow.cl/btn']", "a[href*='flow.cl/app/web']"] },
  Tiendanube: { cats: [6], scriptSrc: ['\\b[ad]cdn(?:-us)?\\.mitiendanube\\.com'] },
  Culqi: { cats: [41], scriptSrc: ['(?:checkout|js)\\.culqi\\.com'] },
};
