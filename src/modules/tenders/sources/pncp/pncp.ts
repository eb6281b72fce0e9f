import { createThrottle } from '../../../../sources/http/throttle.ts';
import { defineSource } from '../../../../sources/source.ts';
import { type IndexedMarketplace, TENDERS_MONTHS } from '../marketplace.ts';
import { createSupplierIndex } from '../supplier-index.ts';
import { pncpPlan } from './plan.ts';
import { createPncpSearch, REQUEST_GAP_MS } from './search.ts';

/**
 * Brazilian procurement, PNCP. It has no query by supplier, so a supplier's contracts come from an index in Postgres built from its list
 * of contracts. Calls for tenders are searched live. The status of both depends on the current time: see `orderAt` and `noticeAt`.
 */
export const pncp = defineSource({
  name: 'pncp',
  attribution: 'Portal Nacional de Contratações Públicas (PNCP), pncp.gov.br, licensed CC BY-ND 3.0.',
  addresses: {
    QUIPU_PNCP_URL: {
      live: 'https://pncp.gov.br',
      sandbox: '/pncp',
      description: 'Brazilian procurement, PNCP: base URL; the service requests {base}/api/consulta/v1/….',
      base: true,
    },
  },
  settings: {
    QUIPU_TENDERS_MONTHS: TENDERS_MONTHS,
    QUIPU_PNCP_MODALITIES: {
      description: 'Codes of the procurement modalities that a search covers; each one needs a request of its own.',
      fallback: '4,5,6,7,8,9,12',
      pattern: /^[1-9]\d?(,[1-9]\d?)*$/,
      expected: 'expected codes separated by commas, e.g. 6,8',
    },
    QUIPU_PNCP_SEARCH_DAYS: {
      description: 'Number of days that a search of Brazilian tenders without a start date covers.',
      fallback: '30',
      pattern: /^([1-9]\d?|[12]\d\d|3[0-5]\d|36[0-5])$/,
      expected: 'expected a whole number of days, 1 to 365',
    },
  },
  create({ address: addressOf, setting, http, limits, db, copyReads, now, log }): IndexedMarketplace {
    const address = addressOf('QUIPU_PNCP_URL');
    const sweep = http({ concurrency: 1, purpose: 'sweep' });
    const live = http({ concurrency: 2 });
    const portal = { url: address.url, isRealPortal: address.origin === 'live', now };
    const { awards: _, ...index } = createSupplierIndex(pncpPlan({ ...portal, http: sweep, log }), {
      address,
      months: setting('QUIPU_TENDERS_MONTHS'),
      db,
      copyReads,
      now,
      log,
    });
    return {
      ...index,
      search: createPncpSearch({
        ...portal,
        http: live,
        throttle: portal.isRealPortal ? createThrottle({ of: ['pncp', address.url], pauseMs: REQUEST_GAP_MS, limits }) : undefined,
        modalities: setting('QUIPU_PNCP_MODALITIES').split(','),
        days: Number(setting('QUIPU_PNCP_SEARCH_DAYS')),
      }),
      async status() {
        const { circuit, recentCalls } = live.health();
        return { ...(await index.status()), circuit, recentCalls };
      },
      async close() {
        await Promise.all([sweep.close(), live.close()]);
      },
    };
  },
});
