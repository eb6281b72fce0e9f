import type { Answer } from '../domain/answer.ts';
import { type CompanyKey, type Country, companyKeyText, requireCountry } from '../domain/company.ts';
import type { Clock } from '../domain/time.ts';
import type { DerivedLoader, Load, Offered } from './loader.ts';

/** A loader about one company, offered to API callers. It states which countries it serves; REST routes read the same two facts. */
export interface CompanyLoader<C extends Country, V> extends DerivedLoader<CompanyKey, V> {
  readonly module: Offered<CompanyKey, V>['module'];
  readonly counts?: (value: V) => boolean;
  readonly countries: readonly C[];
  /** Starts the error message for another country: "KYB is answered for BR, CL only." */
  readonly subject: string;
}

type CompanyLoaderSpec<C extends Country, V> = Omit<CompanyLoader<C, V>, 'key' | 'answer'> & {
  readonly answer: (key: CompanyKey<C>, load: Load, now: Clock) => Promise<Answer<V>>;
};

/** Creates a loader by company that rejects other countries with UNSUPPORTED_COUNTRY before it loads anything. */
export const companyLoader = <C extends Country, V>({ answer, ...rest }: CompanyLoaderSpec<C, V>): CompanyLoader<C, V> => ({
  ...rest,
  key: companyKeyText,
  answer: async ({ country, taxId }, load, now) =>
    answer({ country: requireCountry(country, rest.countries, rest.subject), taxId }, load, now),
});
