import type { Knex } from 'knex';
import type { RequestContext } from '../../../context.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { RowLoader } from '../../../loaders/rows.ts';
import { type Candidate, MAX_CANDIDATES } from '../domain/candidate.ts';
import { type Dismissal, type Reviewed, withDismissals } from '../domain/dismissal.ts';
import { DISMISSALS_CHANNEL, dismissalsOfCompanies, findDismissals, haveDismissals, pageDismissals } from '../store.ts';
import type { CandidatesLoader, ScreeningRequest } from './candidates.ts';

/** The modules whose answers have candidates. */
type Module = CandidatesLoader['module'] | 'owners';

/** Every question names the account that asks, so no answer is another's. */
const rowsOf = <Q extends { readonly accountId: string }, V>(
  name: string,
  rows: (db: Knex, requested: readonly Q[]) => Promise<readonly V[]>,
  module: Module = 'sanctions',
): RowLoader<Q, V> => ({ name, module, key: (question) => JSON.stringify(question), rows: (requested, db) => rows(db, requested) });

/** A dismissal of the account; null for none. */
export const dismissalLoader = rowsOf('dismissal', findDismissals);
/** A page of the dismissals of an account, newest first. */
export const dismissalsLoader = rowsOf('dismissals', pageDismissals);

/** The loaders that a check of a module reads. Most accounts have dismissed nothing: that is cached, and costs no statement. */
const readersOf = (module: Module) => ({
  presence: {
    ...rowsOf(
      'dismissal_presence',
      (db: Knex, requested: readonly { readonly accountId: string }[]) =>
        haveDismissals(
          db,
          requested.map(({ accountId }) => accountId),
        ),
      module,
    ),
    channel: DISMISSALS_CHANNEL,
  },
  ofCompany: rowsOf<CompanyKey & { readonly accountId: string }, readonly Dismissal[]>(
    'dismissals_of_company',
    dismissalsOfCompanies,
    module,
  ),
});
const READERS: Readonly<Record<Module, ReturnType<typeof readersOf>>> = {
  sanctions: readersOf('sanctions'),
  compliance_br: readersOf('compliance_br'),
  owners: readersOf('owners'),
};

/**
 * The candidates of a company, best first, at most 20; null when no name was compared. Those that the account has dismissed are left out,
 * unless they are asked for: then they have their dismissal.
 * @throws AppError MODULE_NOT_ENABLED, SOURCE_UNAVAILABLE
 */
export async function screenCompany(
  loader: CandidatesLoader,
  request: ScreeningRequest,
  ctx: RequestContext,
  { includeDismissed }: { readonly includeDismissed: boolean },
): Promise<readonly Reviewed<Candidate>[] | null> {
  const [answer, dismissals] = await Promise.all([ctx.ask(loader, request), dismissalsOf(ctx, loader.module, request)]);
  const { candidates } = answer.value;
  const reviewed = candidates && withDismissals(candidates, dismissals);
  return reviewed?.filter(({ dismissal }) => includeDismissed || !dismissal).slice(0, MAX_CANDIDATES) ?? null;
}

/**
 * What the account has dismissed of the candidates of a company, or of an owner of it. Read at once and not when the candidates are known, so
 * that the companies of a request share statements.
 */
export async function dismissalsOf(
  ctx: RequestContext,
  module: Module,
  { company: { country, taxId }, ownerId = null }: { readonly company: CompanyKey; readonly ownerId?: string | null },
): Promise<readonly Dismissal[]> {
  const { presence, ofCompany } = READERS[module];
  const { accountId } = ctx.caller;
  if (!(await ctx.read(presence, { accountId }))) return [];
  return (await ctx.read(ofCompany, { accountId, country, taxId })).filter((dismissal) => dismissal.ownerId === ownerId);
}
