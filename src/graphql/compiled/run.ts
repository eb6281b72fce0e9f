import { type GraphQLError, type GraphQLResolveInfo, getArgumentValues } from 'graphql';
import type { RequestContext } from '../../context.ts';
import type { Observer } from '../../observer.ts';
import type { AnswerBudget } from '../limits/answer-budget.ts';
import type { TextMemory } from './kept-text.ts';
import type { AnswersPlan, FieldPlan } from './plan-types.ts';

/** One execution of a plan. */
export interface Run {
  readonly context: RequestContext;
  readonly budget: AnswerBudget;
  readonly memory: TextMemory;
  /** Coerced variables. Resolvers get the object itself, as from graphql-js. */
  readonly variables: GraphQLResolveInfo['variableValues'];
  readonly errors: CollectedErrors;
  /** Arguments of the fields that have any. They are the same for every object. */
  readonly args: Map<FieldPlan, Readonly<Record<string, unknown>>>;
  /** True while a text is written that will be kept. The texts of its parts are not kept as well. */
  isKeeping: boolean;
  /** Marks that are written in place of the times of the request while the text of a company is written; else null. */
  marks: ReadonlyMap<FieldPlan, string> | null;
  /** Arguments and prices of the answers of a plan, which are the same for all companies. */
  readonly requests: Map<AnswersPlan, AnswerRequests | null>;
  readonly observer: Pick<Observer, 'startSpan'> | undefined;
}

/** The arguments, the prices and the language with which the answers of a plan are requested. */
export interface AnswerRequests {
  /** Arguments and price of each field. */
  readonly fields: readonly { readonly args: Readonly<Record<string, unknown>>; readonly price: number }[];
  /** Price of all fields. */
  readonly points: number;
  /** Language and arguments, by which texts of the same answers differ. */
  readonly variant: string;
}

export type Path = GraphQLResolveInfo['path'];

/** Errors of a run. An error below a path that is already null is omitted, because the result does not contain that path. */
export class CollectedErrors {
  readonly all: GraphQLError[] = [];
  /** Number of all errors, including those that are omitted. */
  count = 0;
  readonly #nulls = new Set<Path | undefined>();

  /** @param path the path that becomes null; undefined for all data */
  add(error: GraphQLError, path: Path | undefined): void {
    this.count += 1;
    for (let place = path; place; place = place.prev) if (this.#nulls.has(place)) return;
    if (this.#nulls.has(undefined)) return;
    this.#nulls.add(path);
    this.all.push(error);
  }
}

const NO_ARGUMENTS = {};

export function argumentsOf(plan: FieldPlan, { args, variables }: Run): Readonly<Record<string, unknown>> {
  const [node] = plan.info.fieldNodes;
  if (plan.field.args.length === 0 || !node) return NO_ARGUMENTS;
  const known = args.get(plan) ?? getArgumentValues(plan.field, node, variables);
  args.set(plan, known);
  return known;
}
