import { TIME_BUDGETS } from '../../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../../domain/company.ts';
import { BOGOTA_OFFSET_MS, DAY_MS, isoDate } from '../../../../domain/time.ts';
import { type Covered, coverageMessages, covered, coveredIfLess } from '../../../../messages/coverage.ts';
import type { HttpAnswer } from '../../../../sources/http/failure.ts';
import { defineLiveSource } from '../../../../sources/live-source.ts';
import { PORTAL_CONCURRENCY, PORTAL_SETTINGS, portalHeaders } from '../../../../sources/socrata/portal.ts';
import { readRows, type SodaQuery, sodaPath } from '../../../../sources/socrata/soda.ts';
import type { SourceInstance } from '../../../../sources/source.ts';
import type { TenderSearch, TenderSearchResult } from '../../domain.ts';
import { type LiveMarketplace, MAX_NOTICES, type SupplierOrders } from '../marketplace.ts';
import {
  CONTRACTS_KEPT,
  contractId,
  contractIdsOf,
  contractRow,
  contractsIn,
  contractsOf,
  isAbsurd,
  nameRow,
  namesIn,
  namesOf,
  procedureRow,
  proceduresLike,
  toNotices,
  toOrders,
} from './records.ts';

/** Lookback in days of a search without words and dates: the portal cannot sort nine million procedures in time. */
const RECENT_DAYS = 30;

interface SupplierNames {
  /**
   * Returns the names under which suppliers have contracts, in the order of their NITs; null for a NIT without contracts. It makes one
   * call for at most NAMES_PER_QUERY NITs.
   * @throws AppError SOURCE_UNAVAILABLE
   */
  names(nits: readonly string[]): Promise<readonly (string | null)[]>;
}

/**
 * Colombian procurement, SECOP II on datos.gov.co (Socrata), queried live. The portal refuses four concurrent requests, so at most two run.
 */
export const secopii = defineLiveSource({
  name: 'secopii',
  attribution: 'Colombia Compra Eficiente, SECOP II, on datos.gov.co: open data under Colombian Law 1712.',
  bases: {
    portal: {
      setting: 'QUIPU_SECOP_URL',
      live: 'https://www.datos.gov.co/resource',
      sandbox: '/secopii',
      description:
        'Colombian procurement, SECOP II: base URL of the Socrata tables; the service requests {base}/jbjy-vk9h.json and {base}/p6dx-8zbt.json.',
    },
  },
  settings: PORTAL_SETTINGS,
  concurrency: PORTAL_CONCURRENCY,
  sharesHost: true,
  calls({ portal }, { setting, now }): Omit<LiveMarketplace, keyof SourceInstance> & SupplierNames {
    const headers = portalHeaders(setting);

    const ask = <T>(query: SodaQuery, deadlineAt: number, read: (answer: HttpAnswer) => T): Promise<T> =>
      portal.get(sodaPath(query), { deadlineMs: deadlineAt - now(), headers, read, maxValues: MAX_VALUES });

    async function orders({ taxId }: CompanyKey): Promise<SupplierOrders> {
      const deadlineAt = now() + TIME_BUDGETS.secopii;
      const { rows, contracts } = await ask(contractsOf(taxId), deadlineAt, (answer) => {
        const rows = readRows(answer, contractRow);
        return { rows, contracts: contractsIn(rows, taxId) };
      });
      const total =
        rows.length < CONTRACTS_KEPT
          ? contracts.length
          : await ask(contractIdsOf(taxId), deadlineAt, (answer) => contractsIn(readRows(answer, contractId), taxId).length);
      const absurd = contracts.filter(isAbsurd).map(({ id_contrato }) => id_contrato);
      return { orders: toOrders(contracts), total, ...coverageOf(contracts.length, total, absurd) };
    }

    async function search(requested: TenderSearch): Promise<TenderSearchResult> {
      const { keyword, to } = requested;
      const narrowed = keyword === null && requested.from === null;
      const from = narrowed ? daysBefore(to ?? isoDate(now() + BOGOTA_OFFSET_MS), RECENT_DAYS) : requested.from;
      const query = proceduresLike({ ...requested, from }, MAX_NOTICES + 1);
      const found = await ask(query, now() + TIME_BUDGETS.secopii, (answer) => toNotices(readRows(answer, procedureRow)));
      const coverage = coveredIfLess([
        narrowed && coverageMessages.recentOnly({ from: String(from) }),
        found.length > MAX_NOTICES && coverageMessages.newestOfMore({ max: MAX_NOTICES }),
      ]);
      return { notices: found.slice(0, MAX_NOTICES), ...coverage, from, to };
    }

    return {
      orders,
      search,
      async names(nits) {
        const names = await ask(namesOf(nits), now() + TIME_BUDGETS.secopii, (answer) => namesIn(readRows(answer, nameRow), nits));
        return nits.map((nit) => names.get(nit) ?? null);
      },
    };
  },
});

/** Maximum number of values of an answer: the ids of the supplier with the most contracts. */
const MAX_VALUES = 160_000;

const coverageOf = (shown: number, total: number, absurd: readonly string[]): Covered =>
  covered([
    coverageMessages.supplierOnly(),
    coverageMessages.spellings(),
    total > shown && coverageMessages.newestContracts({ total, shown }),
    absurd.length > 0 && coverageMessages.withoutTotal({ contracts: absurd }),
  ]);

const daysBefore = (day: string, days: number): string => isoDate(Date.parse(day) - days * DAY_MS);
