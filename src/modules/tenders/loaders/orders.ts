import { derive, live } from '../../../domain/answer.ts';
import { type CompanyKey, legalPersonText } from '../../../domain/company.ts';
import { callEach } from '../../../loaders/live.ts';
import type { FetchingLoader, Offered } from '../../../loaders/loader.ts';
import { type SupplierRecords, stretchOf, type TenderOrder } from '../domain.ts';
import type { SupplierOrders, SupplierQuestion } from '../sources/marketplace.ts';
import { mercadopublico } from '../sources/mercadopublico/mercadopublico.ts';
import { pncp } from '../sources/pncp/pncp.ts';
import { secopii } from '../sources/secopii/secopii.ts';
import { indexLoader, supplierCache, supplierQuestionText } from './supplier.ts';

const chilean = indexLoader('tender_orders_cl', 'mercadopublico', mercadopublico, (index, questions) => index.orders(questions));
const brazilian = indexLoader('tender_orders_br', 'pncp', pncp, (index, questions) => index.orders(questions));

/** CompanyKey (CO) → all of its orders that are given, one live call a key; stretches are cut out of them. */
const colombian: FetchingLoader<CompanyKey, SupplierOrders> = {
  name: 'tender_orders_co',
  key: legalPersonText,
  cache: supplierCache(({ total }) => total === 0),
  batch: (keys, use) => callEach('secopii', keys, async (key) => live(await use(secopii).orders(key))),
};

/**
 * SupplierQuestion (CL, BR, CO) → a stretch of the supplier's orders and contracts, newest first. A CNPJ by its root: branches
 * sell under numbers of their own.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export const tenderOrdersLoader: Offered<SupplierQuestion, SupplierRecords<TenderOrder>> = {
  name: 'tender_orders',
  module: 'tenders',
  key: supplierQuestionText,
  async answer(question, load) {
    if (question.key.country === 'CL') return load(chilean, question);
    if (question.key.country === 'BR') return load(brazilian, question);
    return derive(await load(colombian, question.key), ({ orders, total, coverage }) => ({
      page: stretchOf(orders, total, question, (order) => order),
      source: 'secopii',
      coverage,
    }));
  },
};
