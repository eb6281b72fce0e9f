import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  type FieldNode,
  getOperationAST,
  Kind,
  locatedError,
  type SelectionSetNode,
} from 'graphql';
import type { RequestContext } from '../../context.ts';
import type { EventFeed } from '../../domain/event-feed.ts';
import type { ContextOptions } from '../../metering/metering.ts';
import type { Operation } from './execute.ts';

/** Makes the context of one event, for whoever the caller is by then. */
export type ContextOfEvent = (options?: ContextOptions) => RequestContext;

/** A subscription that runs. */
export interface Subscription extends EventFeed<ExecutionResult> {
  /** Who may listen: `any_key` or a module. */
  readonly access: unknown;
}

/** What an event may say of itself. */
interface Event {
  /** Epoch ms: what loaders kept from before is asked again. */
  readonly detectedAt?: number;
}

/**
 * Runs a subscription, with a context of its own, hence with fresh loaders, for every event: in a context that lasts, loaders would
 * answer the second event with what they read for the first.
 * @returns its results, or the one result that says why it cannot run
 */
export async function subscribePerEvent(operation: Operation, contextOf: ContextOfEvent): Promise<Subscription | ExecutionResult> {
  const field = rootField(operation);
  const source = await createSourceEventStream({ ...operation, contextValue: contextOf() });
  if (!(Symbol.asyncIterator in source)) return source;
  const events = source as EventFeed<Event>; // which every subscription of ours resolves to
  const subscription: Subscription = {
    access: operation.schema.getSubscriptionType()?.getFields()[field.name.value]?.extensions.access,
    cut: events.cut,
    async next() {
      const step = await events.next().catch((error: unknown) => {
        throw locatedError(error, field, [field.alias?.value ?? field.name.value]);
      });
      if (step.done) return step;
      const contextValue = contextOf({ since: step.value.detectedAt });
      return { done: false, value: await execute({ ...operation, rootValue: step.value, contextValue }) };
    },
    async return() {
      await events.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => subscription,
  };
  return subscription;
}

export const isRunning = (result: Subscription | ExecutionResult): result is Subscription => Symbol.asyncIterator in result;

/** The one field of a subscription that was validated. */
function rootField({ document, operationName }: Operation): FieldNode {
  const find = ({ selections }: SelectionSetNode): FieldNode | undefined => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) return selection;
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection
          : document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value);
      const found = fragment && 'selectionSet' in fragment && fragment.selectionSet ? find(fragment.selectionSet) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  const operation = getOperationAST(document, operationName);
  const field = operation && find(operation.selectionSet);
  if (!field) throw new Error('a subscription without a field passed validation');
  return field;
}
