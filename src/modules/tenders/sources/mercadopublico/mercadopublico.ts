import { AppError, sourceNotConfigured } from '../../../../domain/errors.ts';
import { chileanDate } from '../../../../domain/time.ts';
import { beside } from '../../../../sources/copies/after-load.ts';
import { createThrottle } from '../../../../sources/http/throttle.ts';
import { originOf } from '../../../../sources/registry/copy-sync.ts';
import { type Address, type Credential, defineSource, type SourceStatus } from '../../../../sources/source.ts';
import { createTenderIndex } from '../../store.ts';
import { type AwardingMarketplace, type SupplierHits, type SupplierPageRequest, TENDERS_MONTHS } from '../marketplace.ts';
import { createSupplierIndex } from '../supplier-index.ts';
import { createApi } from './api.ts';
import { bulkPlan } from './bulk.ts';
import { awardsOfLastDays, ordersOfLastDays } from './live-supplier.ts';
import { createRecentDocuments } from './recent-documents.ts';
import { searchTenders } from './search.ts';

const TICKET: Credential = {
  requestedAt: 'https://www.chilecompra.cl/api/',
  without: 'Calls for tenders of Chile cannot be searched, and documents of the last day are missing among the orders of a supplier.',
  isNeeded: true,
  address: 'QUIPU_MERCADOPUBLICO_URL',
};

/**
 * Chile's public procurement. Tenders are searched live through the API v1, with the operator's ticket. A supplier's orders and awards
 * come from an index of the open data's monthly files, since the API has no such query. Without an index the API provides those of
 * the last days.
 */
export const mercadopublico = defineSource({
  name: 'mercadopublico',
  attribution: 'Dirección ChileCompra, Mercado Público and its open data; public under Chilean Law 20.285.',
  addresses: {
    QUIPU_MERCADOPUBLICO_URL: {
      live: 'https://api.mercadopublico.cl/servicios/v1/publico',
      sandbox: '/mercadopublico/servicios/v1/publico',
      description: 'Chilean public procurement, API v1: base URL; the service requests {base}/licitaciones.json.',
      base: true,
    },
    QUIPU_MERCADOPUBLICO_BULK_URL: {
      live: 'https://transparenciachc.blob.core.windows.net',
      sandbox: '/mercadopublico_bulk',
      description:
        'Monthly files of Chilean orders and tenders: base URL; the service requests {base}/oc-da/2026-9.zip and {base}/lic-da/2026-9.zip.',
      base: true,
    },
  },
  settings: {
    QUIPU_MERCADOPUBLICO_TICKET: {
      description:
        "Ticket (access token) of Mercado Público's API. Without one the real API is not called, and Chilean tenders cannot be searched.",
      fallback: '',
      sandbox: '00000000-5A4D-4B0C-9E1F-000000000000',
      pattern: /^[\w-]{8,64}$/,
      expected: 'expected a ticket of letters, digits and dashes',
      credential: TICKET,
    },
    QUIPU_MERCADOPUBLICO_PAUSE: {
      description:
        'Minimum pause between two requests with the ticket, e.g. 1500ms. The default is 1s for the real API and none for other addresses.',
      fallback: '',
      pattern: /^\d{1,5}ms$|^\d{1,2}s$/,
      expected: 'expected a duration such as 1500ms or 2s, up to 99s',
    },
    QUIPU_MERCADOPUBLICO_QUOTA: {
      description:
        'Maximum number of requests with the ticket in a day in Chile. The default is 10000 for the real API and none for other addresses.',
      fallback: '',
      pattern: /^[1-9]\d{0,8}$/,
      expected: 'expected a whole number of requests',
    },
    QUIPU_MERCADOPUBLICO_SEARCH_DAYS: {
      description: 'Maximum number of days that one search of Chilean tenders covers, one request per day.',
      fallback: '31',
      pattern: /^([1-9]|[1-9]\d|[12]\d\d|3[0-5]\d|36[0-6])$/,
      expected: 'expected a whole number of days, 1 to 366',
    },
    QUIPU_MERCADOPUBLICO_LIVE_DAYS: {
      description: "Number of days for which a supplier's orders and awards are read from the API while there is no index.",
      fallback: '3',
      pattern: /^([1-9]|[12]\d|3[01])$/,
      expected: 'expected a whole number of days, 1 to 31',
    },
    QUIPU_TENDERS_MONTHS: TENDERS_MONTHS,
  },
  create({ address, limits, setting, http, db, copyReads, now, random, log, tempDir }): AwardingMarketplace {
    const apiAddress = address('QUIPU_MERCADOPUBLICO_URL');
    const files = address('QUIPU_MERCADOPUBLICO_BULK_URL');
    const ticket = setting('QUIPU_MERCADOPUBLICO_TICKET');
    const { hasApi, hasFiles, hasIndex, apiFallback } = upstreamCapabilities(apiAddress.origin, files.origin, ticket);
    const isRealApi = apiAddress.origin === 'live';
    const perDay = Number(setting('QUIPU_MERCADOPUBLICO_QUOTA') || (isRealApi ? REAL_QUOTA : 0));
    const throttle = createThrottle({
      of: ['mercadopublico', apiAddress.url, ticket],
      pauseMs: pauseOf(setting('QUIPU_MERCADOPUBLICO_PAUSE') || (isRealApi ? '1s' : '0ms')),
      quota: perDay > 0 ? { perDay, today: () => chileanDate(now()) } : undefined,
      limits,
    });
    const api = createApi({ base: apiAddress.url, ticket, throttle, http: http({ concurrency: 1 }), now });
    const plan = bulkPlan({ address: files, on: hasFiles, tempDir, now, random, log });
    const index = createSupplierIndex(plan, { address: files, months: setting('QUIPU_TENDERS_MONTHS'), db, copyReads, now, log });
    const store = createTenderIndex(db, 'mercadopublico', originOf(files));
    const indexRecentDocuments = createRecentDocuments({ api, index: store, now, log });
    const lastDays = { api, days: Number(setting('QUIPU_MERCADOPUBLICO_LIVE_DAYS')), now };

    /** Answers from the index, or from the API if the index fails. */
    async function withApiFallback<T>(fromIndex: Ask<T>, live: Ask<T>, requests: readonly SupplierPageRequest[]): Promise<SupplierHits<T>> {
      if (!hasIndex) return live(requests);
      try {
        return await fromIndex(requests);
      } catch (error) {
        if (apiFallback && error instanceof AppError) return live(requests);
        throw error;
      }
    }

    return {
      ...index,
      off: !hasFiles,
      orders: (requests) => withApiFallback(index.orders, (requests) => ordersOfLastDays(lastDays, requests), requests),
      awards: (requests) => withApiFallback(index.awards, (requests) => awardsOfLastDays(lastDays, requests), requests),

      async search(search) {
        if (!hasApi) throw sourceNotConfigured('mercadopublico', 'QUIPU_MERCADOPUBLICO_TICKET', TICKET.requestedAt);
        return searchTenders(api, search, { maxDays: Number(setting('QUIPU_MERCADOPUBLICO_SEARCH_DAYS')), now });
      },

      async sync(options = {}) {
        const { signal = NEVER } = options;
        if (!hasFiles && !options.files) return { outcome: 'refused', reason: 'switched_off' };
        const result = await index.sync(options);
        if (apiFallback && !options.files && 'version' in result) {
          const newer = () => store.withSyncLock(() => indexRecentDocuments(result.version.publishedOn, signal), signal);
          const failed = 'what is newer than the files was not read; the next sync tries again';
          await beside(newer, { log, copy: { list: 'mercadopublico' }, failed, isExpected: () => signal.aborted });
        }
        return result;
      },

      async status(): Promise<SourceStatus> {
        const health = api.health();
        const isApiUsable = hasApi && health.circuit !== 'open';
        if (!hasFiles)
          return { name: 'mercadopublico', kind: 'live', origin: apiAddress.origin, ...health, list: null, usable: isApiUsable };
        const status = await index.status();
        return { ...status, circuit: health.circuit, recentCalls: health.recentCalls, usable: status.usable && (isApiUsable || !hasApi) };
      },

      close: () => api.close(),
    };
  },
});

type Ask<T> = (requests: readonly SupplierPageRequest[]) => Promise<SupplierHits<T>>;

const NEVER = new AbortController().signal;

/** Number of requests that the real API allows with one ticket in a day. */
const REAL_QUOTA = 10_000;

/** Parses `1500ms` or `2s` to ms. */
const pauseOf = (text: string): number => Number.parseInt(text, 10) * (text.endsWith('ms') ? 1 : 1_000);

/** The allowed uses of the two upstreams. */
export interface UpstreamCapabilities {
  /** True if the API can be used: with a ticket, or at an operator's address, which may need none. */
  readonly hasApi: boolean;
  /** True if the monthly files are downloaded. */
  readonly hasFiles: boolean;
  /** True if the index may answer, including an index of imported files. */
  readonly hasIndex: boolean;
  /** True if the API may also answer for suppliers, in addition to the index or without it. */
  readonly apiFallback: boolean;
}

/**
 * Decides which upstreams may be combined. A default address combines only with a default address of the same mode: sandbox data
 * must not mix with real data. An operator's address combines with any real one.
 */
export function upstreamCapabilities(api: Address['origin'], files: Address['origin'], ticket: string): UpstreamCapabilities {
  const hasApi = ticket !== '' || api === 'given';
  const hasFiles = files === 'given' || files === api;
  return { hasApi, hasFiles, hasIndex: hasFiles || files === 'live', apiFallback: hasApi && (api === 'given' || api === files) };
}
