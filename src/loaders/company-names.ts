import { derive } from '../domain/answer.ts';
import { type CompanyKey, companyKeyText } from '../domain/company.ts';
import type { RuesFinding } from '../sources/rues/company.ts';
import type { DerivedLoader } from './loader.ts';
import { ruesLoader } from './rues.ts';
import { registeredNames, siiRecordLoader, taxpayerLoader } from './taxpayer.ts';

/**
 * CompanyKey (BR, CL, CO) → the legal name and the trade name of a company in its registry; empty if the registry has none. The name of a
 * Chilean company is known also if its end is not.
 * @throws AppError SOURCE_UNAVAILABLE
 */
export const companyNamesLoader: DerivedLoader<CompanyKey, readonly string[]> = {
  name: 'company_names',
  key: companyKeyText,
  async answer(key, load) {
    if (key.country === 'CO') return derive(await load(ruesLoader, key), namesInRegister);
    if (key.country === 'CL')
      return derive(await load(siiRecordLoader, key), ({ company }) => registeredNames({ source: 'sii', record: company }));
    return derive(await load(taxpayerLoader, key), registeredNames);
  },
};

const namesInRegister = ({ record }: RuesFinding): readonly string[] =>
  record === null ? [] : [...new Set([record.name, record.tradeName ?? ''].filter((one) => one !== ''))];
