import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { RequestContext } from '../../context.ts';
import type { Awaitable } from '../../domain/answer.ts';
import type { Observer } from '../../observer.ts';
import { budgetOf } from '../limits/answer-budget.ts';
import { type JoinedText, JsonText } from './json-text.ts';
import type { TextMemory } from './kept-text.ts';
import { type NotCovered, planOperation } from './plan.ts';
import type { ObjectPlan } from './plan-types.ts';
import { CollectedErrors, type Run } from './run.ts';
import { writeObject } from './write.ts';

/** A validated operation. */
export interface Operation {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  /** The variables as validation has read them. */
  readonly coercedVariables: Readonly<Record<string, unknown>>;
}

/** Executes an operation; its `data` is a JsonText. Null for an operation that graphql-js has to execute. */
export type ExecuteToText = (operation: Operation, context: RequestContext) => Awaitable<ExecutionResult | null>;

/**
 * Maximum number of cached plans of one document. It has a plan for each operation and combination of the Boolean variables that
 * directives may name.
 */
const MAX_PLANS = 16;

export interface CompiledExecutorOptions {
  readonly memory: TextMemory;
  readonly observer?: Observer | undefined;
}

/**
 * Creates the executor that writes the data of queries as JSON text, without intermediate objects. The text and the errors equal those of
 * graphql-js byte for byte. Mutations and introspection are executed by graphql-js.
 */
export function createCompiledExecutor(schema: GraphQLSchema, { memory, observer }: CompiledExecutorOptions): ExecuteToText {
  const plansOf = new WeakMap<DocumentNode, Map<string, ObjectPlan | NotCovered>>();

  function planOf(document: DocumentNode, operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>) {
    const plans = plansOf.get(document) ?? new Map<string, ObjectPlan | NotCovered>();
    plansOf.set(document, plans);
    const conditions = operation.variableDefinitions?.filter(isBoolean).map(({ variable }) => variables[variable.name.value]);
    const key = JSON.stringify([operation.name?.value, conditions]);
    const known = plans.get(key);
    if (known !== undefined) return known;
    const fragments = Object.fromEntries(
      document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
    );
    const plan = planOperation({ schema, operation, fragments, variables });
    if (plans.size >= MAX_PLANS) plans.clear();
    plans.set(key, plan);
    return plan;
  }

  return ({ document, operationName, coercedVariables }, context) => {
    const operation = getOperationAST(document, operationName);
    if (!operation) return null; // impossible, because the operation is valid
    const plan = planOf(document, operation, coercedVariables);
    observer?.countExecution(typeof plan === 'string' ? plan : 'compiled');
    if (typeof plan === 'string') return null;
    const errors = new CollectedErrors();
    const run: Run = {
      context,
      budget: budgetOf(context),
      memory,
      variables: { ...coercedVariables },
      errors,
      args: new Map(),
      isKeeping: false,
      marks: null,
      requests: new Map(),
      observer,
    };
    const toResult = (text: JoinedText) => {
      const data = text instanceof JsonText ? text : new JsonText([text]);
      return resultOf(data as unknown as Record<string, unknown>, errors.all);
    };
    const withoutData = (error: GraphQLError) => {
      errors.add(error, undefined);
      return resultOf(null, errors.all);
    };
    try {
      const text = writeObject(plan, undefined, run);
      return text instanceof Promise ? text.then(toResult, withoutData) : toResult(text);
    } catch (error) {
      return withoutData(error as GraphQLError);
    }
  };
}

const resultOf = (data: Record<string, unknown> | null, errors: readonly GraphQLError[]): ExecutionResult =>
  errors.length > 0 ? { errors, data } : { data };

/** True for a variable that `@skip` and `@include` can name. */
function isBoolean({ type }: VariableDefinitionNode): boolean {
  const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  return named.kind === Kind.NAMED_TYPE && named.name.value === 'Boolean';
}
