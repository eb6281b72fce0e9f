import { isoDate } from '../../src/domain/time.ts';
import { companyAt, type SandboxCompany } from './brazil/company.ts';
import { companies, companyByCnpj } from './brazil/world.ts';

/** Fields of a company that an operator can change. */
export type CompanyChange = Partial<Pick<SandboxCompany, 'status' | 'size' | 'activity' | 'name' | 'capital' | 'special' | 'partners'>>;

/** Columns of the Colombian register that an operator has set. An empty one is absent. */
export type RegisterColumns = Readonly<Record<string, string>>;

/** State of the fictional world of one sandbox: scenarios, scheduled changes and an operator's changes. CNPJs are bare. */
export class MutableWorld {
  readonly #changed = new Map<string, Partial<SandboxCompany>>();
  readonly #register = new Map<string, RegisterColumns>();
  /** Changes by list and bare tax id: true for a company added, false for one removed. */
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

  /** Returns the changed columns of a company of the Colombian register. @param base nine digits of its NIT */
  registerColumns(base: string): RegisterColumns {
    return this.#register.get(base) ?? {};
  }

  /** Changes columns of a company of the Colombian register. */
  changeRegister(base: string, columns: RegisterColumns): void {
    this.#register.set(base, { ...this.#register.get(base), ...columns });
  }

  /** Discards the changes made to a company of the Colombian register. */
  restoreRegister(base: string): void {
    this.#register.delete(base);
  }

  /** Adds a company to a list, or removes it. */
  list(list: string, taxId: string, listed: boolean): void {
    const own = this.#lists.get(list) ?? new Map<string, boolean>();
    this.#lists.set(list, own.set(taxId, listed));
  }

  /** Returns the changes of a list: true for a company added, false for one removed. */
  changesOf(list: string): ReadonlyMap<string, boolean> {
    return this.#lists.get(list) ?? new Map();
  }

  /** Applies an operator's changes to the rows of a list: drops the rows of removed companies and appends one row per added company. */
  listed<R extends { readonly document: string }>(list: string, own: readonly R[], added: (company: SandboxCompany) => R): readonly R[] {
    const wanted = this.#lists.get(list);
    if (!wanted) return own;
    const more = companies.filter(({ cnpj }) => wanted.get(cnpj) && !own.some(({ document }) => document === cnpj));
    return [...own.filter(({ document }) => wanted.get(document) !== false), ...more.map(added)];
  }
}
