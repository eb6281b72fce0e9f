import { isoDate } from '../../domain/time.ts';
import { companyAt, type SandboxCompany } from './brazil/company.ts';
import { companies, companyByCnpj } from './brazil/world.ts';

/** What an operator can change of a company. */
export type CompanyChange = Partial<Pick<SandboxCompany, 'status' | 'size' | 'activity'>>;

/** The made-up world of one sandbox: as told, as it lives, and as an operator has changed it. CNPJs are bare. */
export class MutableWorld {
  readonly #changed = new Map<string, Partial<SandboxCompany>>();
  /** By list: true for a company that was put on it, false for one that was taken off. */
  readonly #lists = new Map<string, Map<string, boolean>>();

  /** The company at a moment (epoch ms), whoever knows it. */
  company(cnpj: string, now: number): SandboxCompany | undefined {
    const told = companyByCnpj(cnpj);
    return told && { ...companyAt(told, now), ...this.#changed.get(cnpj) };
  }

  /** Changes a company from now on. What it does by itself no longer touches the fields given. */
  change(cnpj: string, change: CompanyChange, now: number): void {
    const since = change.status === undefined ? {} : { statusSince: isoDate(now), reason: 0 as const };
    this.#changed.set(cnpj, { ...this.#changed.get(cnpj), ...change, ...since });
  }

  /** Gives a company back to its scenario. */
  restore(cnpj: string): void {
    this.#changed.delete(cnpj);
  }

  /** Puts a company on a list, or takes it off. */
  list(list: string, cnpj: string, listed: boolean): void {
    const own = this.#lists.get(list) ?? new Map<string, boolean>();
    this.#lists.set(list, own.set(cnpj, listed));
  }

  /** Rows of a list as it is published now: its own without those taken off, and a row each for those put on it. */
  listed<R extends { readonly document: string }>(list: string, own: readonly R[], added: (company: SandboxCompany) => R): readonly R[] {
    const wanted = this.#lists.get(list);
    if (!wanted) return own;
    const more = companies.filter(({ cnpj }) => wanted.get(cnpj) && !own.some(({ document }) => document === cnpj));
    return [...own.filter(({ document }) => wanted.get(document) !== false), ...more.map(added)];
  }
}
