import { isoDate } from '../../src/domain/time.ts';
import { companyAt, type SandboxCompany } from './brazil/company.ts';
import { companies, companyByCnpj } from './brazil/world.ts';

/** Fields of a company that an operator can change. */
export type CompanyChange = Partial<Pick<SandboxCompany, 'status' | 'size' | 'activity' | 'name' | 'capital' | 'special' | 'partners'>>;

/** State of the fictional world of one sandbox: scenarios, scheduled changes and an operator's changes. CNPJs are bare. */
export class MutableWorld {
  readonly #changed = new Map<string, Partial<SandboxCompany>>();
  /** Changes by list and CNPJ: true for a company added, false for one removed. */
  readonly #lists = new Map<string, Map<string, boolean>>();

  /** Returns the company at `now` (epoch ms), also one that no registry has; undefined for an unknown CNPJ. */
  company(cnpj: string, now: number): SandboxCompany | undefined {
    const scenario = companyByCnpj(cnpj);
    return scenario && { ...companyAt(scenario, now), ...this.#changed.get(cnpj) };
  }

  /** Changes a company from `now` on. Its schedule no longer applies to the changed fields. */
  change(cnpj: string, change: CompanyChange, now: number): void {
    const since = change.status === undefined ? {} : { statusSince: isoDate(now), reason: 0 as const };
    this.#changed.set(cnpj, { ...this.#changed.get(cnpj), ...change, ...since });
  }

  /** Discards the changes made to a company. */
  restore(cnpj: string): void {
    this.#changed.delete(cnpj);
  }

  /** Adds a company to a list, or removes it. */
  list(list: string, cnpj: string, listed: boolean): void {
    const own = this.#lists.get(list) ?? new Map<string, boolean>();
    this.#lists.set(list, own.set(cnpj, listed));
  }

  /** Applies an operator's changes to the rows of a list: drops the rows of removed companies and appends one row per added company. */
  listed<R extends { readonly document: string }>(list: string, own: readonly R[], added: (company: SandboxCompany) => R): readonly R[] {
    const wanted = this.#lists.get(list);
    if (!wanted) return own;
    const more = companies.filter(({ cnpj }) => wanted.get(cnpj) && !own.some(({ document }) => document === cnpj));
    return [...own.filter(({ document }) => wanted.get(document) !== false), ...more.map(added)];
  }
}
