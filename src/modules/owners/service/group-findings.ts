import type { RequestContext } from '../../../context.ts';
import { type Answer, oldest } from '../../../domain/answer.ts';
import { AppError } from '../../../domain/errors.ts';
import { requireModule } from '../../../metering/ask.ts';
import { RequestSlices } from '../../../scheduling/slices.ts';
import type { GroupFinding, GroupFindings } from '../domain/findings.ts';
import { type OwnershipGraph, type OwnershipNode, pathsOf } from '../domain/graph.ts';
import type { NotCheckedReason, ScreenedOwner } from '../domain.ts';
import { type GroupKey, groupLoader } from '../loaders/group.ts';
import { listsFor } from '../loaders/lists-of-owners.ts';
import { type OwnerListLoader, ownerScreening } from '../loaders/screening.ts';

/** Records of one list by company of a group, or the reason for which the list was not read. */
type ListResult = { readonly list: OwnerListLoader } & (
  | { readonly records: readonly Omit<GroupFinding, 'path'>[]; readonly ages: readonly Answer<unknown>['freshness'][] }
  | { readonly reason: NotCheckedReason }
);

/** Cost of looking up one company on one list, in values of an answer. The 500 companies of the largest group are one slice for each list. */
const LOOK_UP_VALUES = 6;

/**
 * Looks up every company of a group on the lists whose modules the key has. All companies are one look-up of each list.
 * @throws AppError MODULE_NOT_ENABLED when the key lacks the module of the owners, or those of all lists; the errors of `groupLoader`
 */
export async function findInGroup(key: GroupKey, ctx: RequestContext): Promise<GroupFindings | null> {
  const { modules } = ctx.caller;
  requireModule(ctx.caller, groupLoader.module);
  const [first] = ownerScreening.lists;
  if (first && !ownerScreening.lists.some(({ module }) => modules.has(module))) requireModule(ctx.caller, first.module);
  const { value: graph, freshness } = await ctx.ask(groupLoader, key);
  if (!graph) return null;
  const lists = listsFor(ownerScreening, ctx.caller.lists);
  const slices = new RequestSlices();
  const results = await Promise.all(
    lists.map(async (list) => {
      await slices.reserve(graph.nodes.length * LOOK_UP_VALUES);
      return readList(list, graph, ctx);
    }),
  );
  const checked = results.flatMap((one) => ('records' in one ? [one] : []));
  const listsNotChecked = results.flatMap((one) => ('reason' in one ? [{ list: one.list.list, reason: one.reason }] : []));
  const paths = pathsOf(graph);
  const findings = checked
    .flatMap(({ records }) => records.map((record) => ({ ...record, path: paths.get(record.company.taxId) ?? [] })))
    .toSorted((one, other) => one.company.depth - other.company.depth);
  const isUnknown = listsNotChecked.some(({ reason }) => reason === 'source_unavailable');
  return {
    findings: findings.length === 0 && isUnknown ? null : findings,
    companiesChecked: graph.nodes.length,
    listsChecked: checked.map(({ list }) => list.list),
    listsNotChecked,
    complete: graph.complete,
    notSeen: graph.notSeen,
    freshness: oldest([freshness, ...checked.flatMap(({ ages }) => ages)]),
  };
}

async function readList(list: OwnerListLoader, { nodes }: OwnershipGraph, ctx: RequestContext): Promise<ListResult> {
  if (!ctx.caller.modules.has(list.module)) return { list, reason: 'module_not_enabled' };
  try {
    const answers = await Promise.all(nodes.map((node) => ctx.ask(list, screenedOf(node, list))));
    // A Brazilian list cannot be searched for Chilean companies.
    if (answers.every(({ value }) => value === 'no_tax_id')) return { list, reason: 'no_tax_id' };
    const records = answers.flatMap(({ value }, i) => recordsOf(value, nodes[i] as OwnershipNode));
    return { list, records, ages: answers.map(({ freshness }) => freshness) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'SOURCE_UNAVAILABLE') return { list, reason: 'source_unavailable' };
    throw error;
  }
}

/**
 * Returns a company as the lists compare it. A Brazilian list needs the name for rows with a damaged id; on the other lists names would give
 * candidates, which are no findings.
 */
const screenedOf = ({ taxId, name }: OwnershipNode, { module }: OwnerListLoader): ScreenedOwner => ({
  entityType: 'company',
  identifier: taxId,
  name: module === 'sanctions' ? '' : (name ?? ''),
});

function recordsOf(
  value: Awaited<ReturnType<OwnerListLoader['answer']>>['value'],
  company: OwnershipNode,
): readonly Omit<GroupFinding, 'path'>[] {
  if (typeof value === 'string') return [];
  return value.flatMap(({ list, entityId, entryName, matchedOn, programs, startsOn, endsOn }) =>
    matchedOn === 'tax_id' || matchedOn === 'root' ? [{ company, list, entityId, entryName, matchedOn, programs, startsOn, endsOn }] : [],
  );
}
