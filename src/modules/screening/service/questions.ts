import type { Logger } from 'pino';
import type { Answer } from '../../../domain/answer.ts';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import { CHECKS_OF } from '../../../domain/compliance.ts';
import { AppError } from '../../../domain/errors.ts';
import { type AccountLists, NO_LISTS } from '../../../domain/optional-lists.ts';
import type { CompanyLoader, Load } from '../../../loaders/loader.ts';
import { sourceMessages } from '../../../messages/sources.ts';
import { reasonText } from '../../compliance/domain.ts';
import { type Compliance, complianceBrLoaderOf, complianceLoader } from '../../compliance/loader.ts';
import { debarmentLoaderOf } from '../../debarment/loader.ts';
import { kybLoader } from '../../kyb/loader.ts';
import { laborLoader } from '../../labor/loader.ts';
import { ownersLoader } from '../../owners/loader.ts';
import { chosenSanctionsLoader, sanctionsLoader } from '../../sanctions/loader.ts';
import { readChosenLists } from '../../sanctions/loaders/candidates.ts';
import { taxHealthLoader } from '../../tax-health/loader.ts';
import { type Findings, NO_FINDINGS, type ScreenedModule } from '../domain/screening.ts';

/** The query of a screening for one module. */
interface Question {
  readonly countries: readonly Country[];
  /** @throws AppError of the loader; SOURCE_UNAVAILABLE for an answer without any data */
  ask(company: CompanyKey, load: Load, lists: AccountLists): Promise<ModuleAnswer>;
}

/** The answer of one module. */
interface ModuleAnswer {
  readonly findings: Partial<Findings>;
  /** False for an answer that is not counted as usage. */
  readonly isCounted: boolean;
}

const questionOf = <C extends Country, V>(loader: CompanyLoader<C, V>, toFindings: (answer: Answer<V>) => Partial<Findings>): Question =>
  questionByLists(() => loader, toFindings);

/** Creates a question whose loader depends on the lists that the account has chosen. */
const questionByLists = <C extends Country, V>(
  loaderOf: (lists: AccountLists) => CompanyLoader<C, V>,
  toFindings: (answer: Answer<V>) => Partial<Findings>,
): Question => ({
  countries: loaderOf(NO_LISTS).countries,
  async ask(company, load, lists) {
    const loader = loaderOf(lists);
    const answer = await load(loader, company);
    return { findings: toFindings(answer), isCounted: loader.counts?.(answer.value) ?? true };
  },
});

function toVerdict({ value: { companyName, risk, completeness, checks } }: Answer<Compliance>): Partial<Findings> {
  if (completeness === 'insufficient') throw new AppError('SOURCE_UNAVAILABLE', sourceMessages.noneAnsweredYet());
  return {
    name: companyName,
    riskLevel: risk.level,
    completeness,
    riskReasons: risk.reasons.map(reasonText),
    registrationStatus: checks.kyb?.value.status ?? null,
    isSanctioned: checks.sanctions?.value.isSanctioned ?? null,
    isDebarred: checks.debarment?.value.isDebarred ?? null,
    hasLaborViolations: checks.labor?.value.hasViolations ?? null,
    isTaxDebtor: checks.tax_health?.value.taxDebtor ?? null,
    ownerCount: checks.owners?.value.owners.length ?? null,
  };
}

const QUESTIONS: Readonly<Record<ScreenedModule, Question>> = {
  compliance_br: questionByLists(({ verdicts }) => complianceBrLoaderOf(verdicts), toVerdict),
  compliance: questionOf(complianceLoader, toVerdict),
  kyb: questionOf(kybLoader, ({ value }) => ({ name: value.companyName, registrationStatus: value.status })),
  owners: questionOf(ownersLoader, ({ value }) => ({
    ownerCount: value?.owners.length ?? 0,
    ...(value && { name: value.companyName || null }),
  })),
  debarment: questionByLists(
    ({ answers }) => debarmentLoaderOf(answers),
    ({ value }) => ({ isDebarred: value.isDebarred }),
  ),
  sanctions: {
    countries: sanctionsLoader.countries,
    async ask({ country, taxId }, load, account) {
      const lists = readChosenLists(null, account);
      const company = { country, taxId };
      const { value } = lists ? await load(chosenSanctionsLoader, { ...company, lists }) : await load(sanctionsLoader, company);
      return { findings: { isSanctioned: value.isSanctioned }, isCounted: true };
    },
  },
  labor: questionOf(laborLoader, ({ value }) => ({ hasLaborViolations: value.hasViolations })),
  tax_health: questionOf(taxHealthLoader, ({ value }) => ({
    name: value.companyName,
    registrationStatus: value.status,
    isTaxDebtor: value.taxDebtor,
  })),
};

/** Default modules of a screening, as far as the key has them. */
export const USUAL_MODULES: readonly ScreenedModule[] = ['compliance_br', 'compliance', 'kyb', 'sanctions', 'tax_health'];

/**
 * Selects the modules of a list that serve companies of the country. The consolidated check includes the checks of the country, which are
 * therefore not loaded, and not counted, again.
 */
export function modulesFor(country: Country, modules: readonly ScreenedModule[]): readonly ScreenedModule[] {
  const served = modules.filter((module) => QUESTIONS[module].countries.includes(country));
  if (!served.some((module) => module === 'compliance_br' || module === 'compliance')) return served;
  const included: readonly string[] = CHECKS_OF[country];
  return served.filter((module) => !included.includes(module));
}

/** The result of one attempt to check a company. */
export interface Checked {
  readonly findings: Findings;
  readonly failedModules: readonly ScreenedModule[];
  /** True when at least one module answered. */
  readonly isAnswered: boolean;
  /** Modules whose answer is counted. */
  readonly counted: readonly ScreenedModule[];
}

/**
 * Checks a company with all modules that serve its country. A module that fails is named in `failedModules`.
 * @throws the reason of `signal` when it aborts
 */
export async function checkCompany(
  company: CompanyKey,
  modules: readonly ScreenedModule[],
  { load, signal, log, lists }: { readonly load: Load; readonly signal: AbortSignal; readonly log: Logger; readonly lists: AccountLists },
): Promise<Checked> {
  const wanted = modulesFor(company.country, modules);
  const answers = await Promise.allSettled(wanted.map((module) => QUESTIONS[module].ask(company, load, lists)));
  signal.throwIfAborted();
  const answered = answers.flatMap((answer, i) => {
    const module = wanted[i];
    if (answer.status === 'fulfilled' && module) return [{ module, ...answer.value }];
    if (answer.status === 'rejected' && !(answer.reason instanceof AppError)) log.error({ err: answer.reason, module }, 'a check failed');
    return [];
  });
  return {
    findings: Object.assign({}, NO_FINDINGS, ...answered.map(({ findings }) => findings)),
    failedModules: wanted.filter((module) => !answered.some((one) => one.module === module)),
    isAnswered: answered.length > 0,
    counted: answered.flatMap(({ module, isCounted }) => (isCounted ? [module] : [])),
  };
}
