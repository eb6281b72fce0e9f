import { requireCountry } from '../../../domain/company.ts';
import type { Offered } from '../../../loaders/loader.ts';
import type { AwardedContract, SupplierRecords } from '../domain.ts';
import type { SupplierQuestion } from '../sources/marketplace.ts';
import { mercadopublico } from '../sources/mercadopublico/mercadopublico.ts';
import { indexLoader, supplierQuestionText } from './supplier.ts';

const chilean = indexLoader('awarded_contracts_cl', 'mercadopublico', mercadopublico, (index, questions) => index.awards(questions));

/**
 * SupplierQuestion (CL) → a stretch of the tenders that the supplier won, newest first.
 * @throws AppError UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
export const awardedContractsLoader: Offered<SupplierQuestion, SupplierRecords<AwardedContract>> = {
  name: 'awarded_contracts',
  module: 'tenders',
  key: supplierQuestionText,
  async answer(question, load) {
    requireCountry(question.key.country, ['CL'], 'Awarded contracts');
    return load(chilean, question);
  },
};
