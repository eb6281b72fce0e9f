import { GraphQLError } from 'graphql';
import type { RequestContext } from '../../context.ts';
import type { Counted } from '../../messages/operations.ts';
import { limitExceeded } from '../limits.ts';

/*
 * Counts what one operation costs while it runs. The cost computed before it runs (`cost.ts`) assumes sizes of lists that no argument
 * bounds, so the real sizes are charged here. `limit-fields.ts` charges the price of a field in points, `list-slices.ts` the items of a
 * list in values, and the executors the size of the answer. The first charge beyond a limit ends the operation with COST_TOO_HIGH. The
 * budget of an operation belongs to its context, so that both executors and the response headers see the same counts.
 */

/**
 * Limits and counts of one operation.
 *
 * - Points: the sum of the prices of resolved fields, at most the ceiling of the plan. When the answer is written they are raised to one
 *   point for each KiB of it, and to one for every VALUES_PER_POINT values, if they are fewer.
 * - Values: the number of fields of list items that are in memory, at most VALUES_PER_POINT per point of the ceiling.
 */
export interface AnswerBudget {
  /** Maximum of `points`. */
  ceiling: number;
  points: number;
  values: number;
  /** The error that ended the operation; null while it is within its budget. */
  exceeded: GraphQLError | null;
}

const VALUES_PER_POINT = 25;

const budgets = new WeakMap<object, AnswerBudget>();

/** Returns the budget of the operation that runs in a context. Its ceiling is infinite until the executor sets it. */
export function budgetOf(context: RequestContext): AnswerBudget {
  const known = budgets.get(context);
  if (known) return known;
  const budget: AnswerBudget = { ceiling: Number.POSITIVE_INFINITY, points: 0, values: 0, exceeded: null };
  budgets.set(context, budget);
  return budget;
}

/** Number of bytes of an answer per point of its cost. An ordinary answer has fewer, because its fields cost more. */
const BYTES_PER_POINT = 1_024;

/**
 * Raises the points of an operation to those of the length and the values of its answer, if its fields cost less.
 * @param length characters of the text of its data
 */
export function chargeText(budget: AnswerBudget, length: number): void {
  budget.points = Math.max(budget.points, Math.floor(length / BYTES_PER_POINT), Math.floor(budget.values / VALUES_PER_POINT));
  if (budget.points > budget.ceiling) budget.exceeded ??= limitExceeded('COST_TOO_HIGH', 'points of cost', budget.points, budget.ceiling);
}

/** Charges the price of a field. @throws GraphQLError COST_TOO_HIGH */
export function chargePoints(budget: AnswerBudget, points: number): void {
  budget.points += points;
  requirePoints(budget, budget.points);
}

/** Ends the operation before it loads what would exceed its ceiling. @throws GraphQLError COST_TOO_HIGH */
export function requirePoints(budget: AnswerBudget, points: number): void {
  if (points > budget.ceiling) exceed(budget, 'points of cost', points, budget.ceiling);
}

/** Charges values of list items. @throws GraphQLError COST_TOO_HIGH */
export function chargeValues(budget: AnswerBudget, values: number): void {
  budget.values += values;
  const limit = budget.ceiling * VALUES_PER_POINT;
  if (budget.values > limit) exceed(budget, 'values in its answer', budget.values, limit);
}

/** Throws, for every further field, if the operation has exceeded its budget. */
export function requireWithin(budget: AnswerBudget): void {
  if (budget.exceeded) throw BUDGET_EXCEEDED;
}

function exceed(budget: AnswerBudget, what: Counted, count: number, limit: number): never {
  budget.exceeded ??= limitExceeded('COST_TOO_HIGH', what, count, limit);
  throw BUDGET_EXCEEDED;
}

/**
 * Error that every field of an operation throws after the budget is exceeded. It is one error with a path, so that the executor does not
 * locate it thousands of times.
 */
const BUDGET_EXCEEDED = new GraphQLError('The operation ended with COST_TOO_HIGH.', { path: [] });
